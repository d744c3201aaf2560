import type { Query, QueryClient } from '@tanstack/react-query';
import { ApiError, call } from './client.ts';

/** Between two attempts to reach the gateway again; the pause doubles up to the longest. */
const FIRST_MS = 2_000;
const LONGEST_MS = 30_000;

/** Returns whether the gateway was not reached, or cannot answer at present. */
export function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

/** Returns whether an error may pass by itself: an outage, or a failure within the gateway. A refusal does not. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/**
 * Reads failed queries of the open page again once the gateway can be reached, without a click. Returns a function to call for each failed
 * query. Only one request at a time looks for the gateway, so that the page does not flicker and a gateway that starts is not flooded.
 */
export function recovery(client: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = FIRST_MS;
  const isFailed = (query: Query) =>
    query.isActive() && query.state.status === 'error' && isTemporary(query.state.error);
  const hasFailed = () => client.getQueryCache().findAll({ predicate: isFailed }).length > 0;
  const look = async () => {
    timer = undefined;
    if (document.visibilityState === 'visible' && hasFailed() && (await isReachable())) {
      await client.refetchQueries({ predicate: isFailed });
    }
    if (!hasFailed()) {
      pauseMs = FIRST_MS;
      return;
    }
    plan();
    pauseMs = Math.min(LONGEST_MS, pauseMs * 2);
  };
  const plan = () => {
    timer ??= setTimeout(() => void look(), pauseMs);
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && timer !== undefined) {
      clearTimeout(timer);
      void look();
    }
  });
  return plan;
}

async function isReachable(): Promise<boolean> {
  try {
    await call('getMe');
    return true;
  } catch (error) {
    return !isOutage(error);
  }
}
