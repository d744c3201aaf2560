import type { AlertDelivery } from '../../api/schema.ts';
import type { alertsText } from '../../text/alerts.ts';

type Words = Pick<(typeof alertsText)['en'], 'problems'>;

/** Returns the result of the last attempt: the HTTP status, and why it failed if the status does not say so. */
export function answerOf(
  { last_status: status, last_error: error }: Pick<AlertDelivery, 'last_status' | 'last_error'>,
  { problems }: Words,
): string {
  const problem = error === null || error === `http_${status}` ? null : named(error, problems);
  return [status === null ? null : `HTTP ${status}`, problem].filter((part) => part !== null).join(' · ');
}

/** Returns the name of an error; the code itself if it has no name. */
function named(error: string, problems: Words['problems']): string {
  return Object.hasOwn(problems, error) ? problems[error as keyof Words['problems']] : error;
}
