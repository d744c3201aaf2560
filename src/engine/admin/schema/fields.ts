import { z } from 'zod';
import { parseNanoUsd } from '../../../domain/money/nano-usd.ts';
import { STRATEGIES } from '../../../domain/routing/strategy.ts';
import { integer, listOf, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { IDENTIFIER, IDENTIFIER_RULE, MAXIMUM_NAME_LENGTH, MAXIMUM_NANO_USD } from '../identifiers.ts';

/* Field types that several kinds of objects share, each with a message that says what the value must be. */

export const LONGEST_TIMEOUT_MS = 86_400_000;

export const identifier = text(IDENTIFIER_RULE, IDENTIFIER);
export const name = text(`must be a name of 1 to ${MAXIMUM_NAME_LENGTH} characters`, /^(?=.*\S)[^\p{Cc}]{1,200}$/u);
export const modelId = text('must be a model id without spaces, of 1 to 200 characters', /^[^\s\p{Cc}]{1,200}$/u);

export const amount = z
  .string({ error: 'must be a decimal amount in USD such as "0.15"' })
  .transform((value, context) => {
    const parsed = parseNanoUsd(value.slice(0, 60));
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem });
    else if (parsed.amountNanoUsd < 0n || parsed.amountNanoUsd > MAXIMUM_NANO_USD) {
      context.addIssue({ code: 'custom', message: 'must be from 0 to 1000000000 USD' });
    } else return parsed.amountNanoUsd;
    return z.NEVER;
  });

export const milliseconds = integer('must be a positive number of milliseconds, at most a day', 1, LONGEST_TIMEOUT_MS);
export const strategy = oneOf(STRATEGIES);

export const limitUpTo = (most: number) => integer(`must be a whole number from 1 to ${most}`, 1, most);

export const modelPatterns = listOf(modelId, 'model ids').min(1, {
  error: 'must name at least one model; leave it out to allow all',
});
