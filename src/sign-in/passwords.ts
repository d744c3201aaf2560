import { AtOnce } from '../domain/concurrency/at-once.ts';
import type { PasswordHasher } from '../engine/ports/password-hasher.ts';

/** Argon2id with the least that OWASP's cheat sheet recommends: about 20 ms here. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** More at once would only take each other's processor, and that of the requests. */
const AT_ONCE = 2;
const MOST_WAITING = 200;

/** Others were first; it may be tried again soon. */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError';

  constructor() {
    super('Too many passwords are being checked.');
  }
}

/** Passwords by Argon2id, on threads of the runtime's own. */
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
