import { writeSync } from 'node:fs';
import type { ScreenSize } from './screen.ts';

/** The alternate screen, without a cursor and without line wrapping; and back. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const ESCAPE = 0x1b;
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** A terminal on which a view is drawn, and which is restored in the end. */
export interface LiveTerminal {
  readonly size: ScreenSize;
  draw(lines: readonly string[]): void;
  /** Calls the listener with each typed key. */
  onKey(listener: (key: string) => void): void;
  onResize(listener: () => void): void;
  /** Restores the terminal. Idempotent. */
  leave(): void;
}

/** Takes over the terminal of this process until `leave`, or until the process ends in any way but SIGKILL. */
export function enterTerminal(): LiveTerminal {
  const { stdin, stdout } = process;
  let isLeft = false;
  const hasKeys = stdin.isTTY === true;
  const enter = () => {
    if (hasKeys) stdin.setRawMode(true).resume();
    write(ENTER);
  };
  const leave = () => {
    if (isLeft) return;
    isLeft = true;
    write(LEAVE);
    if (hasKeys) stdin.setRawMode(false).pause();
  };
  process.on('exit', leave);
  // Shown after the end of the alternate screen, which would hide it.
  process.once('uncaughtException', (error) => {
    leave();
    process.stderr.write(`switchyard: internal error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
  enter();
  return {
    get size() {
      return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    },
    draw: (lines) => {
      if (!isLeft) write(`${HOME}${lines.map((line) => line + CLEAR_LINE).join('\r\n')}${CLEAR_BELOW}`);
    },
    onKey: (listener) => {
      if (!hasKeys) return;
      stdin.on('data', (typed: Buffer) => {
        // A function key is a sequence of characters, some of which mean something else.
        if (typed[0] !== ESCAPE || typed.length === 1) listener(typed.toString('utf8'));
      });
    },
    onResize: (listener) => {
      stdout.on('resize', listener);
      // The terminal may have been changed while the process was stopped (fg).
      process.on('SIGCONT', () => {
        if (isLeft) return;
        enter();
        listener();
      });
    },
    leave,
  };
}

/** Writes at once, also while the process exits. A terminal that is gone needs nothing more. */
function write(text: string): void {
  try {
    writeSync(1, text);
  } catch {
    // A full buffer loses a frame; the next one is whole again.
  }
}
