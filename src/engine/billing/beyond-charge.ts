import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { type Billable, completionTokensOf, promptTokensOf } from '../../domain/money/quantity.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeldCharge, HeldCharges } from '../ports/held-charges.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';

/* Handles the part of a request's cost that it is not charged for. */

interface HeldChargePorts {
  readonly heldCharges: HeldCharges;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'chargeHeld'>;
}

type BeyondPlausible = Omit<HeldCharge, 'promptTokens' | 'completionTokens' | 'atMs' | 'channelId'> & {
  readonly channelId: string;
};

/**
 * Holds the implausible part of a cost until an operator decides. Never rejects, because the plausible part must still
 * be charged.
 */
export async function holdBeyondPlausible(
  { heldCharges, clock, logger, metrics }: HeldChargePorts,
  beyond: BeyondPlausible,
  billable: Billable,
): Promise<void> {
  const { requestId, modelId, channelId, amountNanoUsd, plausibleNanoUsd, ...ids } = beyond;
  const tokens = { promptTokens: promptTokensOf(billable), completionTokens: completionTokensOf(billable) };
  const amounts = { heldUsd: formatNanoUsd(amountNanoUsd), plausibleUsd: formatNanoUsd(plausibleNanoUsd) };
  logger.error(
    { requestId, ...ids, modelId, channelId, ...tokens, ...amounts },
    'an upstream reported an implausible cost: the excess is held ("switchyard ledger held")',
  );
  metrics.chargeHeld({ modelId, channelId });
  try {
    await heldCharges.hold({ ...beyond, ...tokens, atMs: clock.nowMs() });
  } catch (error) {
    // The log line above has all the facts, so nothing is lost.
    logger.error({ requestId, error: String(error) }, 'a held charge could not be stored');
  }
}

/** Logs the part of a cost that neither the reservation nor the rest of the spending pool covers. */
export function reportWrittenOff(
  { logger }: Pick<HeldChargePorts, 'logger'>,
  { requestId, accountId, amountNanoUsd }: Pick<BeyondPlausible, 'requestId' | 'accountId' | 'amountNanoUsd'>,
): void {
  const fields = { requestId, accountId, amountUsd: formatNanoUsd(amountNanoUsd) };
  logger.warn(fields, 'cost exceeded the reserved balance');
}
