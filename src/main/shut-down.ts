import type { Server } from 'bun';
import { Failure } from '../domain/failure/failure.ts';
import { describeError } from '../domain/text/describe-error.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Store } from '../engine/ports/store.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import type { Gateway } from './gateway.ts';

export interface Stopping {
  readonly gateway: Pick<Gateway, 'running' | 'drain' | 'close'>;
  readonly server: Pick<Server<unknown>, 'stop' | 'pendingRequests'>;
  readonly upstream: Pick<Upstream, 'interrupt'>;
  readonly store: Pick<Store, 'close'>;
  readonly graceMs: number;
  readonly logger: Logger;
  readonly print: (line: string) => void;
}

/** How long the clients of interrupted answers have to take their last words. */
const LAST_WORDS_MS = 500;
/** How long what has ended may take to be counted and charged, which PostgreSQL may have to come back for. */
const SETTLE_MS = 20_000;
/** How long what waits in memory may take to be written. */
const CLOSE_MS = 15_000;
const LOOK_EVERY_MS = 10;
const MOST_TURNS = 100;
const SHORT_TURN_MS = 0.2;

/**
 * No new connections; what runs may finish within the grace period; then answers end with an error, streams with its frame. All of it is
 * charged for what it has come to and recorded before the store closes.
 */
export async function shutDown(stopping: Stopping): Promise<void> {
  const { gateway, server, graceMs, print } = stopping;
  const { running } = gateway;
  if (running.inFlight > 0)
    print(
      `Stopping: waiting up to ${Math.ceil(graceMs / 1000)} s for ${running.inFlight} running request(s). Press Ctrl-C again to stop now.`,
    );
  gateway.drain();
  await untilAccepted();
  const stopped = server.stop(false).then(() => true);
  await until(() => running.inFlight === 0, graceMs);
  if (running.inFlight > 0) await interrupt(stopping);
  // The last bytes of answers that are over are on their way to clients that read them.
  await Promise.race([stopped, until(() => server.pendingRequests === 0, LAST_WORDS_MS)]);
  await server.stop(true);
  await settle(stopping);
  await close(stopping);
}

/**
 * Connections that have come and are not accepted when the server stops to listen are reset. So this happens right after a turn of the
 * event loop that was short: in it all that had come was accepted.
 */
async function untilAccepted(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const beganAtMs = performance.now();
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (turn > 0 && performance.now() - beganAtMs < SHORT_TURN_MS) return;
  }
}

async function interrupt({ gateway: { running }, upstream, logger }: Stopping): Promise<void> {
  const failure = new Failure('shutting_down', {
    message: 'The gateway is shutting down. Send the request again.',
    retryAfterMs: 1000,
  });
  logger.warn({ running: running.inFlight }, 'shutdown grace is over; ending what still runs');
  upstream.interrupt(failure);
  await until(() => running.openStreams === 0, LAST_WORDS_MS);
  // Their clients do not read, so these streams would never end by themselves.
  running.cutOff(failure);
}

/** Money is held for whatever has not been charged, and a store that is closed can charge nothing. */
async function settle({ gateway: { running }, logger }: Stopping): Promise<void> {
  await until(() => running.inFlight === 0, SETTLE_MS);
  if (running.inFlight > 0)
    logger.error({ unsettled: running.inFlight }, 'requests could not be charged and recorded before the stop');
}

async function close({ gateway, store, logger }: Stopping): Promise<void> {
  const closing = gateway
    .close()
    .catch((error: unknown) => logger.error(describeError(error), 'the gateway could not be closed in order'))
    .then(() => store.close())
    .then(() => true);
  const isClosed = await Promise.race([closing, Bun.sleep(CLOSE_MS)]);
  if (isClosed !== true) logger.error({ waitedMs: CLOSE_MS }, 'the database could not be closed in time');
}

async function until(holds: () => boolean, withinMs: number): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!holds() && performance.now() < deadlineMs) await Bun.sleep(LOOK_EVERY_MS);
}
