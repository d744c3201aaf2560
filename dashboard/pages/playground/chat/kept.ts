import type { Turn } from './conversation.ts';
import type { SettingsValues } from './settings-values.ts';

/** A tab has some 5 MB for all pages. */
const MOST_CHARACTERS = 1_500_000;

export interface Kept {
  readonly lanes: readonly (readonly Turn[])[];
  readonly settings: SettingsValues | null;
}

const NOTHING: Kept = { lanes: [[], []], settings: null };

function nameOf(accountId: string): string {
  return `switchyard.playground.${accountId}`;
}

/** Returns the conversation of this browser tab from before a reload. */
export function readKept(accountId: string): Kept {
  try {
    const kept = JSON.parse(sessionStorage.getItem(nameOf(accountId)) ?? 'null') as Kept | null;
    return kept === null || !Array.isArray(kept.lanes) ? NOTHING : kept;
  } catch {
    return NOTHING;
  }
}

/** Stores the conversation without files, and then without the oldest turns, until it is small enough. */
export function keep(accountId: string, { lanes, settings }: Kept): void {
  let kept = lanes.map((turns) => turns.filter((turn) => turn.role !== 'answer' || !turn.isRunning));
  let text = JSON.stringify({ lanes: kept, settings });
  if (text.length > MOST_CHARACTERS) {
    kept = kept.map((turns) => turns.map((turn) => (turn.role === 'user' ? { ...turn, files: [] } : turn)));
    text = JSON.stringify({ lanes: kept, settings });
  }
  while (text.length > MOST_CHARACTERS && kept.some(({ length }) => length > 0)) {
    kept = kept.map((turns) => turns.slice(Math.ceil(turns.length / 2)));
    text = JSON.stringify({ lanes: kept, settings });
  }
  try {
    sessionStorage.setItem(nameOf(accountId), text);
  } catch {
    // Storage is full or forbidden: only the restoration after a reload is lost.
  }
}
