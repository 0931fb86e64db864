"""What Cline's messages say: as the person saw them, and as the model did."""

import re
from collections.abc import Iterator
from typing import Any

from agentmem.domain.messages import MessageKind, Trust
from agentmem.sources.blocks import Piece, call, label, note, pieces, string
from agentmem.sources.lines import decode
from agentmem.sources.teller import Said, Teller

_FOLDER = re.compile(r"# Current (?:Working Directory|Workspace Directory) \(([^()\n]{1,400})\)")
_INJECTED = re.compile(
    r"<(environment_details|mode_notice|hook_context|explicit_instructions|file_content|folder_content|file_mentions"
    r"|workspace_diagnostics|url_content|terminal_output)\b[^<>]*>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
_TYPED = re.compile(
    r"<(task|feedback|user_message|user_feedback|answer|user_input)\b[^<>]*>(.*?)(?:</\1>|\Z)", re.DOTALL
)
_RESULT = re.compile(r"\[\w{1,40}[^\]\n]{0,400}\] Result:")
_NOTICE = re.compile(r"\[(?:TASK RESUMPTION|ERROR|SYSTEM|NOTE)\b")
_THINKING = re.compile(r"<thinking>.*?(?:</thinking>|\Z)", re.DOTALL)
_TOOL = re.compile(
    r"<(execute_command|read_file|write_to_file|replace_in_file|search_files|list_files|list_code_definition_names"
    r"|browser_action|use_mcp_tool|access_mcp_resource|ask_followup_question|attempt_completion|plan_mode_respond"
    r"|new_task|load_mcp_documentation|web_fetch|condense|use_skill)>(.*?)(?:</\1>|\Z)",
    re.DOTALL,
)
_FIELD = re.compile(r"<(\w{1,40})>(.*?)(?:</\1>|\Z)", re.DOTALL)
# Tools by which the model speaks, and where its words stand.
_SPEAKING = {"attempt_completion": "result", "ask_followup_question": "question", "plan_mode_respond": "response"}

_REPLIES = frozenset({"text", "completion_result"})
_PROMPTS = frozenset({"task", "user_feedback"})
_ASKED = {"followup": "question", "plan_mode_respond": "response", "act_mode_respond": "response"}
_BOOKKEEPING = frozenset(
    {
        "reasoning", "error", "error_retry", "api_req_finished", "api_req_retried", "api_req_failed",
        "api_req_retry_delayed", "user_feedback_diff", "shell_integration_warning",
        "shell_integration_warning_with_suggestion", "browser_action_launch", "browser_action", "browser_action_result",
        "mcp_server_request_started", "mcp_notification", "diff_error", "deleted_api_reqs", "api_req_deleted",
        "clineignore_error", "command_permission_denied", "checkpoint_created", "checkpoint_saved",
        "load_mcp_documentation", "generate_explanation", "info", "task_progress", "hook_status", "hook_output_stream",
        "subagent", "use_subagents", "subagent_usage", "conditional_rules_applied", "resume_task",
        "resume_completed_task", "mistake_limit_reached", "new_task", "new_task_started", "condense", "summarize_task",
        "report_bug",
    }
)  # fmt: skip


class History:
    """What messages say that stand as the model saw them."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._calls = 0  # in the older form calls have no ids: a result is that of the call before

    def said(self, entry: dict[str, Any]) -> Iterator[Said]:
        """What one message says."""
        role = entry.get("role")
        if role not in ("user", "assistant") or not isinstance(role, str):
            note(self._teller.tally.unknown, f"role {label(role)}")
            return
        within = False  # a result in the older form: a text that goes on to the end of the message
        for piece in pieces(entry.get("content"), self._teller.tally):
            if piece.kind is MessageKind.TOOL_CALL and piece.tool in _SPEAKING:
                words = piece.arguments.get(_SPEAKING[piece.tool]) if isinstance(piece.arguments, dict) else None
                yield from self._teller.reply(words if isinstance(words, str) else "")
            elif piece.kind is not MessageKind.TEXT:
                yield from self._teller.tool(piece)
                if piece.kind is MessageKind.TOOL_RESULT:
                    yield from self._typed(piece.text, Trust.MEDIUM)
            elif role == "assistant":
                yield from self._answer(piece.text)
            else:
                _place(piece.text, self._teller)
                text = _INJECTED.sub("", piece.text).strip()
                heading = _RESULT.match(text)
                within = within or heading is not None
                if within:
                    text = text[heading.end() :] if heading else text
                    result = Piece(MessageKind.TOOL_RESULT, _TYPED.sub("", text), call_id=f"call {self._calls}")
                    yield from self._teller.tool(result)
                    yield from self._typed(text, Trust.MEDIUM)  # a tool could have written that as well
                elif _TYPED.search(text):
                    yield from self._typed(text, Trust.HIGH)
                elif text and not _NOTICE.match(text):
                    yield from self._teller.human([text])
                else:
                    note(self._teller.tally.ignored, "notice")

    def _typed(self, text: str, trust: Trust) -> Iterator[Said]:
        """What a person typed, in the elements that hold it."""
        found = [words.strip() for _, words in _TYPED.findall(text)]
        if found:
            yield from self._teller.human(found, trust)

    def _answer(self, text: str) -> Iterator[Said]:
        """The model's text, in which older versions write calls of tools as elements."""
        text = _THINKING.sub("", text)
        at = 0
        for found in _TOOL.finditer(text):
            yield from self._teller.reply(text[at : found.start()])
            at = found.end()
            self._calls += 1
            fields = {field: words.strip() for field, words in _FIELD.findall(found[2])}
            if found[1] in _SPEAKING:
                yield from self._teller.reply(fields.get(_SPEAKING[found[1]], ""))
            else:
                yield from self._teller.tool(call(found[1], fields, f"call {self._calls}"))
        yield from self._teller.reply(text[at:])


def _place(text: str, teller: Teller) -> None:
    if "# Current " in text and (folder := _FOLDER.search(text)):
        teller.cwd = string(folder[1].strip()) or teller.cwd


class Screen:
    """What messages say that stand as the person saw them; some are shown twice in a row."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._shown = ""
        self._own = False

    def said(self, entry: dict[str, Any]) -> Iterator[Said]:
        """What one message says."""
        kind, text = entry.get(entry["type"]), entry.get("text")
        if not isinstance(kind, str):
            note(self._teller.tally.unknown, label(kind))
        elif entry.get("partial") is True or not isinstance(text, str):
            note(self._teller.tally.ignored, f"{label(kind)} without text")
        elif kind in _PROMPTS:
            yield from self._teller.human([_INJECTED.sub("", text)])
        elif kind in _REPLIES:
            yield from self._teller.reply(text.removesuffix("HAS_CHANGES"))
        elif kind in _ASKED:
            given = _parsed(text)
            words = given.get(_ASKED[kind], "") if isinstance(given, dict) else text
            yield from self._teller.reply(words if isinstance(words, str) else "")
        elif kind in ("command", "tool", "use_mcp_server"):
            yield from self._call(kind, text)
        elif kind in ("command_output", "mcp_server_response"):
            # An output has no id: it is that of the call before.
            yield from self._teller.tool(Piece(MessageKind.TOOL_RESULT, text, tool="agentmem" if self._own else ""))
        elif kind == "api_req_started":
            _place(text, self._teller)
        elif kind in _BOOKKEEPING:
            note(self._teller.tally.ignored, kind)
        else:
            note(self._teller.tally.unknown, kind[:40])

    def _call(self, kind: str, text: str) -> Iterator[Said]:
        given: Any = {"command": text} if kind == "command" else _parsed(text)
        name = kind
        if isinstance(given, dict):
            name = string(given.get("toolName")) or string(given.get("tool")) or kind
        piece = call(name, given)
        made = list(self._teller.tool(piece))
        self._own = not made
        if piece.text != self._shown:
            yield from made
        self._shown = piece.text


def _parsed(text: str) -> Any:
    """The JSON in a text; the text itself where it is none."""
    try:
        return decode(text.strip())[0]
    except (ValueError, RecursionError):
        return text
