import { AtOnce } from '../domain/concurrency/at-once.ts';
import type { PasswordHasher } from '../engine/ports/people-store.ts';

/** Argon2id with the minimum that OWASP's cheat sheet recommends: about 20 ms here. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** More concurrent hashes would only compete for CPU time with each other and with requests. */
const AT_ONCE = 2;
const MOST_WAITING = 200;

/** The queue is full; a retry may succeed soon. */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError';

  constructor() {
    super('Too many password checks are in progress.');
  }
}

/** Hashes passwords with Argon2id, on the runtime's threads. */
export class ArgonPasswords implements PasswordHasher {
  private readonly turns = new AtOnce(AT_ONCE);

  hash(password: string): Promise<string> {
    return this.inTurn(() => Bun.password.hash(password.normalize('NFKC'), ARGON2));
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.inTurn(() => Bun.password.verify(password.normalize('NFKC'), hash));
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.turns.waitingCount >= MOST_WAITING) throw new PasswordsBusyError();
    return await this.turns.run(work);
  }
}
