import { ANSWERED_STATUS, MODEL_FAILURES, MODEL_FAILURES_OF_A_CHANNEL } from '../../domain/failure/model-outcome.ts';
import { RECOVERED_STORY } from './tables/request-log.ts';

/** The SQL equivalent of `modelOutcome` for a request log line: 1 for a success, 0 for a failure, NULL for neither. */
export const OUTCOME_OF_LINE = `
  CASE
    WHEN client_gone <> 0 OR is_private <> 0 OR cache_match IS NOT NULL OR story = '${RECOVERED_STORY}' THEN NULL
    WHEN error_code IS NULL THEN CASE WHEN status = ${ANSWERED_STATUS} THEN 1 END
    WHEN error_code IN (${listed(MODEL_FAILURES)}) THEN 0
    WHEN channel_id IS NOT NULL AND error_code IN (${listed(MODEL_FAILURES_OF_A_CHANNEL)}) THEN 0
  END
`;

function listed(codes: readonly string[]): string {
  return codes.map((code) => `'${code}'`).join(', ');
}
