// Written by `agentmem install`; `agentmem uninstall opencode` takes it away. Changes are lost at the next install.
//
// OpenCode runs no commands on its events, so this tells agentmem of the same moments as other agents' hooks do, and
// puts the briefing into the system prompt, where it is not stored. Nothing here may ever stop OpenCode: every failure
// is silent.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const PATIENCE = 1000 // milliseconds that a request to the model waits for a briefing; later ones may still get it
const LIFE = 10000 // milliseconds after which a briefing is given up
const LARGEST = 64 * 1024 // characters; a briefing has 8,000 at most
const CAPTURED = ["session.created", "session.idle", "session.compacted", "session.deleted"]

function tell(event, session, directory) {
  // All of it stands on the command line: `opencode run` ends some 40 ms after the turn does, and what would be written
  // to a pipe by then is lost with it.
  try {
    const said = [`--event=${event}`, `--session=${session}`, `--cwd=${directory}`]
    const child = spawn(PROGRAM, ["hook", "opencode", ...said], { stdio: "ignore", detached: true, windowsHide: true })
    child.on("error", () => {})
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
      }, LIFE)
      end.unref()
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

function within(milliseconds, promise) {
  let end
  const late = new Promise((resolve) => {
    end = setTimeout(resolve, milliseconds, "")
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(end))
}

export const agentmem = async ({ directory }) => {
  if (process.env.AGENTMEM_DISABLE || process.env.AGENTMEM_IN_HOOK) return {}
  const children = new Set() // sub-agents' sessions: neither captured nor briefed
  const briefings = new Map() // session -> promise of its briefing: the same bytes each time, so that caches hold
  const prepare = (session) => {
    if (!briefings.has(session)) briefings.set(session, briefing(session, directory))
    return briefings.get(session)
  }
  return {
    event: async ({ event }) => {
      const { sessionID, info } = event.properties ?? {}
      const session = sessionID ?? info?.id
      if (!session) return
      // The `info` of a message has a parent as well: the message that it answers.
      if (event.type.startsWith("session.") && info?.parentID) children.add(session)
      if (CAPTURED.includes(event.type) && !children.has(session)) {
        tell(event.type, session, directory)
      }
      if (event.type === "session.deleted") briefings.delete(session)
    },
    "chat.message": async (input) => {
      // Not awaited: the first request to the model is seconds away, and finds the briefing ready.
      if (input?.sessionID && !children.has(input.sessionID)) prepare(input.sessionID)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input?.sessionID
      if (!session || children.has(session)) return
      const text = await within(PATIENCE, prepare(session))
      if (text) output.system.push(text)
    },
  }
}
