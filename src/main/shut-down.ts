import type { Server } from 'bun';
import { Failure } from '../domain/failure/failure.ts';
import { describeError } from '../domain/text/describe-error.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Store } from '../engine/ports/store.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import type { Gateway } from './gateway.ts';
import type { StopRequest } from './stop-request.ts';

export interface Stopping {
  readonly request: Pick<StopRequest, 'drains' | 'endDrain'>;
  readonly gateway: Pick<Gateway, 'running' | 'closeSockets' | 'close'> & { drain(): void };
  readonly server: Pick<Server<unknown>, 'stop' | 'pendingRequests'>;
  readonly upstream: Pick<Upstream, 'interrupt'>;
  readonly store: Pick<Store, 'close'>;
  /** Closes everything else, after the store; requests do not use it. */
  readonly closeRest: () => Promise<unknown>;
  /** How long new requests are served if the request asks for a drain. */
  readonly drainMs: number;
  readonly graceMs: number;
  /**
   * The total time after the grace period to interrupt calls in flight, to charge and record them, and to close the database, whether or
   * not it responds.
   */
  readonly writeMs: number;
  readonly logger: Logger;
  readonly print: (line: string) => void;
  /** Real time by default. */
  readonly time?: Time;
}

export interface Time {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}

const REAL_TIME: Time = { nowMs: () => performance.now(), sleep: (ms) => Bun.sleep(ms) };

/** How long the clients of interrupted answers have to receive the final error. */
const FINAL_FRAME_MS = 500;
/** The last part of `writeMs`, in which buffered data is written as far as possible, even if something could not be charged. */
const CLOSE_SHARE = 0.4;
const LOOK_EVERY_MS = 10;
const MOST_TURNS = 100;
const SHORT_TURN_MS = 0.2;

/**
 * Shuts down. During the drain new requests are served, while load balancers notice that the gateway is not ready. Then no new connections
 * are accepted, and calls in flight may finish within the grace period; then answers end with an error, streams with an error frame. All of
 * them are charged for their cost so far and recorded before the store closes. Resolves within the drain, the grace period and `writeMs`,
 * whatever does not respond; what could not be written by then is logged.
 */
export async function shutDown(stopping: Stopping): Promise<void> {
  const { gateway, server, graceMs, writeMs, print, time = REAL_TIME } = stopping;
  const { running } = gateway;
  await drain(stopping, time);
  const endsAtMs = time.nowMs() + graceMs + writeMs;
  if (running.inFlight > 0)
    print(
      `Stopping: waiting up to ${Math.ceil(graceMs / 1000)} s for ${running.inFlight} request(s) in flight. Press Ctrl-C again to stop now.`,
    );
  gateway.closeSockets();
  await untilAccepted();
  const stopped = server.stop(false).then(() => true);
  await until(time, () => running.inFlight === 0, time.nowMs() + graceMs);
  if (running.inFlight > 0) await interrupt(stopping, time);
  // The last bytes of finished answers are still being sent to clients.
  await Promise.race([stopped, until(time, () => server.pendingRequests === 0, time.nowMs() + FINAL_FRAME_MS)]);
  await server.stop(true);
  await settle(stopping, time, endsAtMs - CLOSE_SHARE * writeMs);
  await close(stopping, time, endsAtMs);
}

/** Serves for `drainMs`, or until a further signal. */
async function drain({ request, gateway, drainMs, print }: Stopping, time: Time): Promise<void> {
  gateway.drain();
  if (request.drains && drainMs > 0) {
    print(`Stopping: serving new requests for ${Math.ceil(drainMs / 1000)} s more. Press Ctrl-C to refuse them now.`);
    await until(time, () => !request.drains, time.nowMs() + drainMs);
  }
  request.endDrain();
}

/**
 * Waits for a short turn of the event loop, in which all pending connections were accepted: those not yet accepted when the server stops
 * listening are reset.
 */
async function untilAccepted(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const beganAtMs = performance.now();
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (turn > 0 && performance.now() - beganAtMs < SHORT_TURN_MS) return;
  }
}

async function interrupt({ gateway: { running }, upstream, logger }: Stopping, time: Time): Promise<void> {
  const failure = new Failure('shutting_down', {
    message: 'The gateway is shutting down. Send the request again.',
    retryAfterMs: 1000,
  });
  logger.warn({ running: running.inFlight }, 'shutdown grace period is over; aborting requests in flight');
  upstream.interrupt(failure);
  await until(time, () => running.openStreams === 0, time.nowMs() + FINAL_FRAME_MS);
  // Their clients do not read, so these streams would never end by themselves.
  running.cutOff(failure);
}

/** Waits for calls to be charged: reservations are held for them, and a closed store cannot charge anything. */
async function settle({ gateway: { running }, logger }: Stopping, time: Time, deadlineMs: number): Promise<void> {
  await until(time, () => running.inFlight === 0, deadlineMs);
  if (running.inFlight > 0)
    logger.error({ unsettled: running.inFlight }, 'requests could not be charged and recorded before the stop');
}

async function close({ gateway, store, closeRest, logger }: Stopping, time: Time, deadlineMs: number): Promise<void> {
  let isClosed = false;
  const closing = gateway
    .close()
    .catch((error: unknown) => logger.error(describeError(error), 'the gateway could not be closed cleanly'))
    .then(() => store.close())
    .then(closeRest)
    .finally(() => {
      isClosed = true;
    });
  await Promise.race([closing, until(time, () => isClosed, deadlineMs)]);
  if (!isClosed) logger.error({}, 'queued writes were not finished before the stop');
}

async function until(time: Time, holds: () => boolean, deadlineMs: number): Promise<void> {
  while (!holds() && time.nowMs() < deadlineMs) await time.sleep(LOOK_EVERY_MS);
}
