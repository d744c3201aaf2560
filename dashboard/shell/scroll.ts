import type { AnyRouter, ParsedLocation } from '@tanstack/react-router';

/** A list that has not reached its length by then is shorter than it was. */
const PATIENCE_MS = 15_000;
/** Once the reader has moved the page, it stays where they put it. */
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** The most history entries whose positions are kept. */
const MOST_ENTRIES = 200;

/**
 * Restores the scroll position when the reader goes back or forward. The router scrolls as soon as the page is rendered, when its lists are
 * still empty: this follows as they grow, and scrolling to their end makes them read their next page.
 */
export function keepScroll(router: AnyRouter): void {
  const positions = new Map<string, number>();
  let isReturn = false;
  let stop = () => {};
  router.history.subscribe(({ action }: { readonly action: { readonly type: string } }) => {
    isReturn = action.type !== 'PUSH' && action.type !== 'REPLACE';
  });
  router.subscribe('onBeforeLoad', ({ fromLocation }) => {
    stop();
    if (fromLocation === undefined) return;
    positions.set(keyOf(fromLocation), scrollY);
    const [oldest] = positions.keys();
    if (oldest !== undefined && positions.size > MOST_ENTRIES) positions.delete(oldest);
  });
  router.subscribe('onRendered', ({ toLocation }) => {
    stop();
    const top = isReturn ? (positions.get(keyOf(toLocation)) ?? 0) : 0;
    if (top > 0) stop = follow(top);
  });
}

function keyOf({ state, href }: ParsedLocation): string {
  return state.__TSR_key ?? href;
}

/** Scrolls as far down towards `top` as the page reaches, whenever it grows. Returns a function that ends it. */
function follow(top: number): () => void {
  const end = () => document.documentElement.scrollHeight - innerHeight;
  let reached = 0;
  const move = () => {
    reached = Math.min(top, end());
    if (Math.abs(scrollY - reached) > 1) scrollTo({ top: reached, behavior: 'instant' });
  };
  // Dragging the scroll bar is no event of its own; a page that shrinks moves its end.
  const look = () => {
    if (Math.abs(scrollY - reached) > 1 && scrollY < end() - 1) stop();
  };
  const observer = new ResizeObserver(move);
  const stop = () => {
    observer.disconnect();
    clearTimeout(timer);
    removeEventListener('scroll', look);
    for (const name of MOVES) removeEventListener(name, stop, true);
  };
  const timer = setTimeout(stop, PATIENCE_MS);
  move();
  observer.observe(document.body);
  addEventListener('scroll', look, { passive: true });
  for (const name of MOVES) addEventListener(name, stop, { capture: true, passive: true });
  return stop;
}
