BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE audit (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	created VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	session VARCHAR, 
	actor_hash VARCHAR, 
	details TEXT NOT NULL
);
INSERT INTO "audit" VALUES(1,'2026-11-30T21:06:59.920529+00:00','session_started','0123456789abcdef',NULL,'{"agent":"echo","model":"fake"}');
INSERT INTO "audit" VALUES(2,'2026-11-30T21:06:59.928452+00:00','turn_answered','0123456789abcdef',NULL,'{"turn":1,"attempt":1,"model":"fake","prompt":"95dd85474b80e2844f27de167e0d2ad0"}');
INSERT INTO "audit" VALUES(3,'2026-11-30T21:06:59.932607+00:00','turn_answered','0123456789abcdef',NULL,'{"turn":2,"attempt":1,"model":"fake","prompt":"2b8e15dc60d3056cb7a3198d9792cba2"}');
CREATE TABLE model_calls (
	id INTEGER NOT NULL, 
	session_id VARCHAR NOT NULL, 
	turn INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	task VARCHAR NOT NULL, 
	model TEXT NOT NULL, 
	prompt BLOB, 
	text TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	repairs TEXT NOT NULL, 
	error TEXT, 
	prompt_tokens INTEGER, 
	completion_tokens INTEGER, 
	tokens_estimated BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT call_of_turn FOREIGN KEY(session_id, turn) REFERENCES turns (session_id, number) ON DELETE CASCADE
);
INSERT INTO "model_calls" VALUES(1,'0123456789abcdef',1,1,'echo','Fake model (fake)',X'95DD85474B80E2844F27DE167E0D2AD0','You said: The rent is due.',0.01,'[]',NULL,7,3,0);
INSERT INTO "model_calls" VALUES(2,'0123456789abcdef',2,1,'echo','Fake model (fake)',X'2B8E15DC60D3056CB7A3198D9792CBA2','You said: 房租太高了。',0.01,'[]',NULL,7,3,0);
CREATE TABLE notes (
	id INTEGER NOT NULL, 
	session_id VARCHAR NOT NULL, 
	turn INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	created VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE TABLE overrides (
	id INTEGER NOT NULL, 
	session_id VARCHAR NOT NULL, 
	after_turn INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	arguments TEXT NOT NULL, 
	summary TEXT NOT NULL, 
	state_delta TEXT NOT NULL, 
	created VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE TABLE prompt_nodes (
	session_id VARCHAR NOT NULL, 
	id BLOB NOT NULL, 
	parent BLOB, 
	role VARCHAR, 
	text_hash BLOB, 
	PRIMARY KEY (session_id, id), 
	FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "prompt_nodes" VALUES('0123456789abcdef',X'03298849070CB6856DD93501D2505C3F',X'95DD85474B80E2844F27DE167E0D2AD0','assistant',X'6F97D95DBE66BBEA1A33B2B5765D03E6');
INSERT INTO "prompt_nodes" VALUES('0123456789abcdef',X'17213EC90B74C9CDA714A02476F87F4E',X'6FFF3A7C1E5777B1FE0D9FA16BFAA7F9','assistant',X'8381D57CDDEC4478D0D1344BCAC8D149');
INSERT INTO "prompt_nodes" VALUES('0123456789abcdef',X'2B8E15DC60D3056CB7A3198D9792CBA2',X'03298849070CB6856DD93501D2505C3F','user',X'5C582AEC7B8A2DBAA7C5430EF25EDBB1');
INSERT INTO "prompt_nodes" VALUES('0123456789abcdef',X'6FFF3A7C1E5777B1FE0D9FA16BFAA7F9',X'AD9FADD142C177A4A9EBC26D6610E63E',NULL,X'8381D57CDDEC4478D0D1344BCAC8D149');
INSERT INTO "prompt_nodes" VALUES('0123456789abcdef',X'95DD85474B80E2844F27DE167E0D2AD0',X'17213EC90B74C9CDA714A02476F87F4E','user',X'82A591FB093C5A087566935222506F1C');
INSERT INTO "prompt_nodes" VALUES('0123456789abcdef',X'AD9FADD142C177A4A9EBC26D6610E63E',NULL,'system',X'8CD8B290CDD4EB3F0BFF05832F36029D');
CREATE TABLE resumptions (
	id INTEGER NOT NULL, 
	session_id VARCHAR NOT NULL, 
	after_turn INTEGER NOT NULL, 
	level VARCHAR NOT NULL, 
	reviewer TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	created VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE TABLE sessions (
	id VARCHAR NOT NULL, 
	title TEXT NOT NULL, 
	agent VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	language VARCHAR NOT NULL, 
	settings TEXT NOT NULL, 
	opening TEXT NOT NULL, 
	created VARCHAR NOT NULL, 
	updated VARCHAR NOT NULL, 
	turn_count INTEGER NOT NULL, 
	complete BOOLEAN NOT NULL, 
	risk VARCHAR NOT NULL, 
	frozen BOOLEAN NOT NULL, 
	sample_client VARCHAR, 
	parent VARCHAR, 
	parent_turn INTEGER, 
	overridden BOOLEAN NOT NULL, 
	material TEXT NOT NULL, 
	opening_state TEXT NOT NULL, 
	state TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "sessions" VALUES('0123456789abcdef','The rent','echo','fake','en','{"window":0,"region":"unknown"}','What brings you here?','2026-11-30T21:06:59.919434+00:00','2026-11-30T21:06:59.932494+00:00',2,0,'none',0,NULL,NULL,NULL,0,'{"greeting":"What brings you here?"}','{"heard":[],"topic":""}','{"heard":["The rent is due.","房租太高了。"],"topic":""}');
CREATE TABLE texts (
	session_id VARCHAR NOT NULL, 
	hash BLOB NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (session_id, hash), 
	FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "texts" VALUES('0123456789abcdef',X'8CD8B290CDD4EB3F0BFF05832F36029D','You listen, and you answer in one sentence.
');
INSERT INTO "texts" VALUES('0123456789abcdef',X'8381D57CDDEC4478D0D1344BCAC8D149','What brings you here?');
INSERT INTO "texts" VALUES('0123456789abcdef',X'82A591FB093C5A087566935222506F1C','The rent is due.');
INSERT INTO "texts" VALUES('0123456789abcdef',X'6F97D95DBE66BBEA1A33B2B5765D03E6','You said: The rent is due.');
INSERT INTO "texts" VALUES('0123456789abcdef',X'5C582AEC7B8A2DBAA7C5430EF25EDBB1','房租太高了。');
CREATE TABLE turns (
	session_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	status VARCHAR NOT NULL, 
	author VARCHAR NOT NULL, 
	created VARCHAR NOT NULL, 
	client TEXT NOT NULL, 
	notice TEXT NOT NULL, 
	reply TEXT NOT NULL, 
	safety_reply BOOLEAN NOT NULL, 
	risk VARCHAR NOT NULL, 
	evidence TEXT NOT NULL, 
	findings TEXT NOT NULL, 
	trace TEXT NOT NULL, 
	state_delta TEXT NOT NULL, 
	error TEXT, 
	model TEXT, 
	seconds FLOAT, 
	prompt_tokens INTEGER, 
	completion_tokens INTEGER, 
	tokens_estimated BOOLEAN NOT NULL, 
	attempt INTEGER NOT NULL, 
	holder VARCHAR, 
	lease_until FLOAT, 
	CONSTRAINT one_turn_a_number UNIQUE (session_id, number), 
	FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "turns" VALUES('0123456789abcdef',1,'answered','person','2026-11-30T21:06:59.923524+00:00','The rent is due.','','You said: The rent is due.',0,'none','[]','[]','{"turn":1,"read":2}','{"change":{"heard":{"splice":[0,0,["The rent is due."]]}}}',NULL,'Fake model (fake)',0.000720765000096435,7,3,0,1,NULL,NULL);
INSERT INTO "turns" VALUES('0123456789abcdef',2,'answered','person','2026-11-30T21:06:59.930613+00:00','房租太高了。','','You said: 房租太高了。',0,'none','[]','[]','{"turn":2,"read":4}','{"change":{"heard":{"splice":[1,0,["房租太高了。"]]}}}',NULL,'Fake model (fake)',2.99255999834713293239e-04,7,3,0,1,NULL,NULL);
CREATE INDEX sessions_by_update ON sessions (updated);
CREATE INDEX calls_by_turn ON model_calls (session_id, turn);
CREATE INDEX ix_overrides_session_id ON overrides (session_id);
CREATE INDEX ix_notes_session_id ON notes (session_id);
CREATE INDEX ix_resumptions_session_id ON resumptions (session_id);
CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log can only be added to'); END;
CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log can only be added to'); END;
CREATE TRIGGER audit_refuses_replace BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the audit log can only be added to'); END;
COMMIT;
