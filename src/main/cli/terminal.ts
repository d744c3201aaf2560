import { createInterface } from 'node:readline';
import type { TextOutput } from './context.ts';

/** A terminal on which a person can answer. */
export interface Terminal {
  /** Resolves to the typed line; `null` if the input has ended, as after Ctrl-C. */
  ask(question: string): Promise<string | null>;
}

/** Returns `null` unless both `stdout` and the input are a terminal. */
export function processTerminal(stdout: TextOutput): Terminal | null {
  return stdout === process.stdout && process.stdin.isTTY && process.stdout.isTTY ? { ask: askOnTerminal } : null;
}

export async function isConfirmed(terminal: Terminal, question: string): Promise<boolean> {
  const answer = await terminal.ask(`${question} [y/N] `);
  return answer !== null && /^\s*y(es)?\s*$/i.test(answer);
}

function askOnTerminal(question: string): Promise<string | null> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise<string | null>((resolve) => {
    lines.question(question, resolve);
    // Control-C and Control-D close it without an answer.
    lines.once('close', () => resolve(null));
  }).finally(() => lines.close());
}
