/**
 * The answer, or a rejection when it has not come in time. A process that was busy for longer than that finds its timers due
 * before it has read what has arrived meanwhile, so it reads first.
 */
export function within<Result>(timeoutMs: number, answer: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${timeoutMs} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
