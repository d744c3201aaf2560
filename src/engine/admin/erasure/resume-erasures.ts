import { describeError } from '../../../domain/text/describe-error.ts';
import type { Logger } from '../../ports/logger.ts';
import { localOrigin } from '../audit/audit-trail.ts';
import { type AccountErasurePorts, eraseAccount } from './erase-account.ts';
import { type ErasurePorts, eraseUser } from './erase-user.ts';

export interface ResumePorts extends ErasurePorts, AccountErasurePorts {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const BY = { origin: localOrigin({ kind: 'gateway', name: 'erasure that was interrupted' }) };

/** Completes interrupted erasures, one after the other. A failed one is logged, does not stop the others, and is retried the next time. */
export async function resumeErasures(ports: ResumePorts): Promise<void> {
  const accounts = await ports.accountErasures.open();
  const users = await ports.erasures.open();
  const work = [
    ...users.map(({ pseudonym, userId }) => ({
      pseudonym,
      erase: () => eraseUser(ports, BY, userId, { dryRun: false }),
    })),
    ...accounts.map(({ pseudonym, accountId }) => ({
      pseudonym,
      erase: () => eraseAccount(ports, BY, accountId, { dryRun: false }),
    })),
  ];
  for (const { pseudonym, erase } of work) {
    try {
      await erase();
      // The id of a person would be a trace of the erased person.
      ports.logger.info({ pseudonym }, 'an interrupted erasure is complete');
    } catch (error) {
      ports.logger.warn(
        { pseudonym, ...describeError(error) },
        'an erasure could not be completed; it will be retried',
      );
    }
  }
}
