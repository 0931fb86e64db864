"""A picture of quality against latency, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from agentmem.errors import UsageError

_WIDTH, _HEIGHT, _EDGE = 720, 440, 60
_COLOURS = ("#1b6ca8", "#c2571a", "#3a7d44", "#7b4397", "#9a8c1f", "#666666")


@dataclass(frozen=True, slots=True)
class Dot:
    """A run: which set, what is told beside it, its median in milliseconds, its quality (0 to 1)."""

    group: str
    label: str
    milliseconds: float
    quality: float


def check(file: Path) -> None:
    """Make sure, before anything is measured, that a picture can be written there.

    Raises:
        UsageError: it is not called .svg, or its folder is not there.
    """
    if file.suffix.lower() != ".svg":
        raise UsageError(f"A picture is an SVG, which {file.name} is not called", "As in `--plot recall.svg`.")
    if not file.parent.is_dir():
        raise UsageError(f"There is no folder {file.parent}", "Make it first, or name another.")


def write(file: Path, dots: Sequence[Dot], quality: str) -> None:
    """Draw the dots: the higher the better, the further left the faster."""
    right = max((dot.milliseconds for dot in dots), default=1.0) * 1.1
    groups = list(dict.fromkeys(dot.group for dot in dots))
    marks = [_axes(right, quality)]
    for dot in dots:
        x = _EDGE + dot.milliseconds / right * (_WIDTH - 2 * _EDGE)
        y = _HEIGHT - _EDGE - dot.quality * (_HEIGHT - 2 * _EDGE)
        colour = _COLOURS[groups.index(dot.group) % len(_COLOURS)]
        told = f"{dot.group}, {dot.label}: {quality} {100 * dot.quality:.1f}%, {dot.milliseconds:.0f} ms"
        marks.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{escape(told)}</title></circle>'
            f'<text x="{x + 7:.1f}" y="{y + 4:.1f}" font-size="10">{escape(dot.label)}</text>'
        )
    for n, group in enumerate(groups):
        marks.append(
            f'<text x="{_WIDTH - _EDGE}" y="{_EDGE + 16 * n}" text-anchor="end" '
            f'fill="{_COLOURS[n % len(_COLOURS)]}">{escape(group)}</text>'
        )
    file.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
        f"{''.join(marks)}</svg>\n",
        encoding="utf-8",
    )


def _axes(right: float, quality: str) -> str:
    bottom, end = _HEIGHT - _EDGE, _WIDTH - _EDGE
    lines = [f'<path d="M{_EDGE} {_EDGE}V{bottom}H{end}" fill="none" stroke="black"/>']
    for n in range(6):
        y = bottom - n / 5 * (bottom - _EDGE)
        x = _EDGE + n / 5 * (end - _EDGE)
        lines.append(f'<text x="{_EDGE - 8}" y="{y + 4:.0f}" text-anchor="end">{20 * n}</text>')
        lines.append(f'<text x="{x:.0f}" y="{bottom + 18}" text-anchor="middle">{right * n / 5:.0f}</text>')
    lines.append(f'<text x="{_EDGE}" y="{_EDGE - 14}">{escape(quality)}, %</text>')
    lines.append(f'<text x="{end}" y="{bottom + 38}" text-anchor="end">median of an answer, ms</text>')
    return "".join(lines)
