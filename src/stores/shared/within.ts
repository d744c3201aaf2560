/**
 * Resolves to the result, or rejects after `timeoutMs`. After a long pause of the event loop, timers fire before incoming data is read, so
 * it reads once more before it gives up.
 */
export function within<Result>(timeoutMs: number, answer: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no response within ${timeoutMs} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
