import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError, OperationalError

from counsel_core.conversation import take_turn
from counsel_core.errors import InputError, StorageError
from counsel_core.storage import audit, database
from counsel_core.storage.database import MIGRATIONS, open_database, upgrade
from counsel_core.storage.schema import REVISIONS, metadata, notes
from counsel_core.storage.sessions import load_attempts, load_session, load_turns, save_note
from tests.fakes_conversation import FakeModel

HERE = Path(__file__).parent


def url_of(file: Path, options: str = "") -> str:
    return f"sqlite:///file:{file}?{options}&uri=true" if options else f"sqlite:///{file}"


def schema_of(db) -> list:
    with db.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return compare_metadata(context, metadata)


def test_an_empty_file_becomes_what_the_tables_say(tmp_path):
    file = tmp_path / "counsel.sqlite3"
    file.touch()
    with open_database(url_of(file)) as db:
        assert schema_of(db) == []


def test_the_revisions_named_are_those_of_the_migrations():
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == REVISIONS


def test_the_first_schema_is_upgraded_with_what_is_in_it(tmp_path, echo):
    # first_schema.sql was dumped from a database of revision 0001 that held one session of two turns.
    file = tmp_path / "old.sqlite3"
    with sqlite3.connect(file) as old:
        old.executescript((HERE / "first_schema.sql").read_text(encoding="utf-8"))
    old.close()
    with open_database(url_of(file)) as db:
        assert schema_of(db) == []
        session = load_session(db, "0123456789abcdef")
        assert (session.title, session.turn_count) == ("The rent", 2)
        turns = load_turns(db, session.id)
        assert [turn.client for turn in turns] == ["The rent is due.", "房租太高了。"]
        assert session.state == {"heard": ["The rent is due.", "房租太高了。"], "topic": ""}
        ((_, call),) = load_attempts(db, session.id, 2)
        assert (call.text, call.reasoning, call.cached) == ("You said: 房租太高了。", "", False)
        # It goes on with what 0002 added.
        model = FakeModel(lambda request: "I see.")
        take_turn(db, model, session.id, "It went up again.")
        assert load_attempts(db, session.id, 3)[0][1].reasoning == ""


def test_a_later_migration_runs_on_the_present_schema_and_is_undone_when_it_fails(tmp_path, monkeypatch):
    scripts = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, scripts)
    later = scripts / "versions" / "next.py"
    body = "import sqlalchemy as sa\nfrom alembic import op\nrevision = 'next'\ndown_revision = {!r}\n"
    body += "def upgrade():\n    op.add_column('notes', sa.Column('colour', sa.String))\n"
    later.write_text(body.format(REVISIONS[-1]) + "    op.execute('SELECT * FROM no_such_table')\n")
    with open_database(url_of(tmp_path / "a.sqlite3")) as db:
        with pytest.raises(OperationalError, match="no_such_table"), db.writing() as connection:
            upgrade(connection, scripts=scripts)
        assert schema_of(db) == []
        later.write_text(body.format(REVISIONS[-1]))
        with db.writing() as connection:
            upgrade(connection, scripts=scripts)
        with db.reading() as connection:
            columns = connection.exec_driver_sql("SELECT name FROM pragma_table_info('notes')").scalars()
            assert "colour" in set(columns)
            version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
            assert version == "next"
    # What this version has never heard of was made by a later one.
    with pytest.raises(StorageError, match=r"newer version.*Update the app"):
        open_database(url_of(tmp_path / "a.sqlite3"))


def test_an_open_database_is_safe_and_forgets(db):
    pragmas = {"foreign_keys": 1, "secure_delete": 1, "journal_mode": "wal", "synchronous": 2}
    with db.reading() as connection:
        found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas}
    assert found == pragmas


def test_the_file_and_a_missing_folder_are_made_for_their_owner_alone(tmp_path):
    file = tmp_path / "deep" / "down" / "counsel.sqlite3"
    open_database(url_of(file)).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_opening_what_is_up_to_date_is_fast_and_needs_no_alembic(tmp_path):
    file = tmp_path / "a.sqlite3"
    open_database(url_of(file)).close()
    times = []
    for _ in range(5):
        started = time.perf_counter()
        open_database(url_of(file)).close()
        times.append(time.perf_counter() - started)
    assert min(times) < 0.030
    code = (
        "import sys; from counsel_core.storage.database import open_database\n"
        f"open_database({url_of(file)!r}).close(); sys.exit('alembic' in sys.modules)"
    )
    root = HERE.parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "postgresql://me:secret@host/db?password=secret",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file::memory:?uri=true",
        "sqlite:///file:/somewhere?mode=memory&uri=true",
        "sqlite:///file:nowhere",
        "sqlite://host/a.sqlite3",
        "sqlite://host:port/a.sqlite3",
        "sqlite://me:secret@/a.sqlite3",
        "sqlite+aiosqlite:////a.sqlite3",
        "sqlite+nonsense:////a.sqlite3",
        "sqlite:////a.sqlite3?timeout=soon",
        "sqlite:////a.sqlite3?mode=ro",
        "sqlite:////a%00b.sqlite3",
    ],
)
def test_a_url_of_anything_but_an_sqlite_file_is_refused(url):
    with pytest.raises(InputError, match="It takes the URL of an SQLite file") as caught:
        open_database(url)
    assert "secret" not in str(caught.value)


def test_an_address_of_sqlites_own_kind_means_the_file_it_names(tmp_path):
    with open_database(f"sqlite:///file:{tmp_path}/two%2520words.sqlite3?uri=true") as db:
        assert db.file == tmp_path / "two words.sqlite3"
        assert schema_of(db) == []
    assert [file.name for file in tmp_path.iterdir()] == ["two words.sqlite3"]


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text("Dear Sir or Madam, " * 100)
    with pytest.raises(StorageError, match=r"not an SQLite database.*COUNSEL_DATABASE_URL"):
        open_database(url_of(file))
    assert file.read_text() == "Dear Sir or Madam, " * 100


def test_a_database_of_another_program_is_left_alone(tmp_path):
    file = tmp_path / "other.sqlite3"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE bookmarks (address TEXT)")
    other.close()
    with pytest.raises(StorageError, match="database of another program"):
        open_database(url_of(file))


def test_a_damaged_database_says_so(tmp_path):
    file = tmp_path / "a.sqlite3"
    open_database(url_of(file)).close()
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with pytest.raises(StorageError, match="damaged"), open_database(url_of(file)) as db:
        load_turns(db, "0" * 16)


def test_a_locked_database_says_so_and_nothing_is_saved(tmp_path, begin, db):
    session = begin()
    with open_database(url_of(db.file), busy_seconds=0.05) as impatient:
        other = sqlite3.connect(db.file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        model = FakeModel()
        with pytest.raises(StorageError, match=r"locked by another program.*try again"):
            take_turn(impatient, model, session.id, "Hello")
        assert load_session(impatient, session.id).turn_count == 0
        assert model.requests == []
        other.execute("ROLLBACK")
        other.close()
        assert take_turn(impatient, model, session.id, "Hello").reply == "You said: Hello"


def test_a_read_only_database_can_be_read_and_says_what_to_do(begin, db):
    session = begin()
    save_note(db, session.id, 0, "Seen.")
    db.close()
    with open_database(url_of(db.file, "mode=ro")) as read_only:
        assert load_session(read_only, session.id) == session
        with pytest.raises(StorageError, match=r"read-only.*COUNSEL_DATABASE_URL"):
            take_turn(read_only, FakeModel(), session.id, "Hello")


def as_nobody(action):
    """Run `action` in a process that is not root, for root may write everywhere; return what it says."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads at a fork
        child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        try:
            action()
            said = "nothing"
        except StorageError as error:
            said = str(error)
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as answer:
        return answer.read()


def test_a_read_only_folder_and_file_say_so():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        open_database(url_of(folder / "a.sqlite3")).close()
        (folder / "a.sqlite3").chmod(0o444)
        folder.chmod(0o555)
        try:
            new = as_nobody(lambda: open_database(url_of(folder / "new.sqlite3")))
            below = as_nobody(lambda: open_database(url_of(folder / "deep" / "new.sqlite3")))
            there = as_nobody(lambda: open_database(url_of(folder / "a.sqlite3")))
        finally:
            folder.chmod(0o755)
    assert "cannot be made: permission denied. Choose a place where you may write" in new
    assert "cannot be made: permission denied" in below
    assert "read-only" in there or "cannot be opened" in there


def test_a_full_disk_says_so_and_keeps_what_was_there(begin, db):
    session = begin()
    take_turn(db, FakeModel(), session.id, "The rent is due.")
    with db.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    with open_database(url_of(db.file)) as full:
        # SQLite reports a database that reached its page limit as it reports a full disk.
        with full.reading() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageError, match=r"the disk is full\. Free some space"):
            take_turn(full, FakeModel(), session.id, "word " * 1500)
    assert [turn.client for turn in load_turns(db, session.id)] == ["The rent is due."]


def test_a_faulty_statement_is_not_taken_for_a_fault_of_the_disk(db):
    values = {"session_id": "0" * 16, "turn": 1, "text": "x", "created": datetime.now(UTC)}
    with pytest.raises(IntegrityError, match="FOREIGN KEY"), db.writing() as connection:
        connection.execute(insert(notes), values)
    with db.reading() as connection:
        assert connection.execute(select(notes)).all() == []


def test_writers_wait_for_each_other(tmp_path, db):
    other = sqlite3.connect(db.file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")

    def let_go():
        time.sleep(0.2)
        other.execute("COMMIT")
        other.close()

    thread = threading.Thread(target=let_go)
    thread.start()
    with db.writing() as connection:
        audit.record(connection, "waited")
    thread.join()
    assert [entry.action for entry in audit.read(db)] == ["waited"]


def test_two_processes_may_open_a_new_database_at_once(tmp_path):
    file = tmp_path / "new.sqlite3"
    code = f"from counsel_core.storage.database import open_database; open_database({url_of(file)!r}).close()"
    root = HERE.parents[2]
    children = [subprocess.Popen([sys.executable, "-c", code], cwd=root) for _ in range(3)]
    assert [child.wait() for child in children] == [0, 0, 0]
    with open_database(url_of(file)) as db:
        assert schema_of(db) == []


def test_every_cause_ends_in_something_to_do():
    for cause in database._CAUSES.values():
        assert cause.startswith(("it ", "the ", "you "))
        assert not cause.endswith(".")
