"""The one use case of the chat: a client's line goes in, a checked reply comes out, nothing is lost."""

from counsel_core.conversation.session import resume_session, start_session
from counsel_core.conversation.turn import retry_turn, take_turn, withdraw_turn

__all__ = ["resume_session", "retry_turn", "start_session", "take_turn", "withdraw_turn"]
