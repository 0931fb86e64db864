// Written by `agentmem install`; `agentmem uninstall opencode` takes it away. Changes are lost at the next install.
//
// OpenCode runs no commands on its events, so this tells agentmem of the same moments as other agents' hooks do, and
// puts the briefing into the system prompt, where it is not stored. Nothing here may ever stop OpenCode: every failure
// is silent.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const PATIENCE = 1500 // milliseconds; later than that the session goes on without a briefing
const LARGEST = 64 * 1024 // characters; a briefing has 8,000 at most
const CAPTURED = ["session.created", "session.idle", "session.compacted", "session.deleted"]

function tell(payload) {
  try {
    const child = spawn(PROGRAM, ["hook", "opencode"], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      windowsHide: true,
    })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
    child.unref()
  } catch {}
}

function briefing(session, directory) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["context", "--session", session, "--cwd", directory], {
        stdio: ["ignore", "pipe", "ignore"],
        windowsHide: true,
      })
      let said = ""
      const end = setTimeout(() => {
        resolve("")
        child.kill()
      }, PATIENCE)
      child.on("error", () => resolve(""))
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => {
        if (said.length < LARGEST) said += piece
      })
      child.on("close", (code) => {
        clearTimeout(end)
        resolve(code === 0 ? said.trim() : "")
      })
    } catch {
      resolve("")
    }
  })
}

export const agentmem = async ({ directory }) => {
  if (process.env.AGENTMEM_DISABLE || process.env.AGENTMEM_IN_HOOK) return {}
  const children = new Set() // sub-agents' sessions: neither captured nor briefed
  const briefings = new Map() // session -> promise of its briefing: the same bytes each time, so that caches hold
  return {
    event: async ({ event }) => {
      const { sessionID, info } = event.properties ?? {}
      const session = sessionID ?? info?.id
      if (!session) return
      if (info?.parentID) children.add(session)
      if (CAPTURED.includes(event.type) && !children.has(session)) {
        tell({ hook_event_name: event.type, session_id: session, cwd: directory })
      }
      if (event.type === "session.deleted") briefings.delete(session)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input?.sessionID
      if (!session || children.has(session)) return
      if (!briefings.has(session)) briefings.set(session, briefing(session, directory))
      const text = await briefings.get(session)
      if (text) output.system.push(text)
    },
  }
}
