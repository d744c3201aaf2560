import { useSyncExternalStore } from 'react';

/** The window widths from which something is shown, as in Tailwind, in rem. */
export const WIDTHS = { sm: 40, md: 48, lg: 64, xl: 80 } as const;
export type Width = keyof typeof WIDTHS;

const NAMES = Object.keys(WIDTHS) as Width[];
const queries = NAMES.map((name) => matchMedia(`(min-width: ${WIDTHS[name]}rem)`));

function subscribe(listener: () => void): () => void {
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    for (const query of queries) query.removeEventListener('change', listener);
  };
}

/** Returns how many of the widths the window reaches: 0 below `sm`, 4 from `xl` on. */
export function useWidth(): number {
  return useSyncExternalStore(subscribe, () => queries.filter(({ matches }) => matches).length);
}

/** Returns whether something shown from this width on is visible in a window that reaches `reached` widths. */
export function isShown(from: Width | undefined, reached: number): boolean {
  return from === undefined || NAMES.indexOf(from) < reached;
}
