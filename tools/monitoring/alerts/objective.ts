import { type Alert, by, type RecordingRule } from './alert.ts';

/*
 * The objective for availability and the alerts on the speed at which its error budget is spent: "multiwindow, multi-burn-rate alerts" of
 * the Site Reliability Workbook (https://sre.google/workbook/alerting-on-slos/), with its windows and factors.
 */

/** The share of requests that may fail within 30 days: the objective is 99.9 %. */
export const ALLOWED_FAILURES = 0.001;

const WINDOWS = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;
type Window = (typeof WINDOWS)[number];

const ratio = (window: Window) => `switchyard:request_failures:ratio_rate${window}`;

/**
 * A failed request has a status of 500 or more. Requests that the client broke off (499) and errors of the client (4xx) spend no budget,
 * and neither do requests that were refused because the gateway stops.
 */
const FAILED = 'switchyard_requests_total{status=~"5..", code!="shutting_down"}';

/** No requests give no value, so that an idle gateway neither burns nor fills the budget. */
export const OBJECTIVE_RULES: readonly RecordingRule[] = WINDOWS.map((window) => ({
  record: ratio(window),
  expr: `(${by('sum', `rate(${FAILED}[${window}])`)} or 0 * ${by('sum', `rate(switchyard_requests_total[${window}])`)}) / (${by('sum', `rate(switchyard_requests_total[${window}])`)} > 0)`,
}));

/** Both windows must burn: the long one shows that it matters, the short one that it still happens. */
function burns(factor: number, long: Window, short: Window): string {
  const limit = `${factor} * ${ALLOWED_FAILURES}`;
  return `(${ratio(long)} > ${limit} and ${ratio(short)} > ${limit})`;
}

const DESCRIPTION = '{{ $value | humanizePercentage }} of requests fail. The objective allows 0.1 % over 30 days.';

export const OBJECTIVE_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardErrorBudgetBurnFast',
    page: 'requests',
    severity: 'critical',
    for: '2m',
    expr: `${burns(14.4, '1h', '5m')} or ${burns(6, '6h', '30m')}`,
    summary: 'So many requests of {{ $labels.job }} fail that the error budget of a month is gone within days.',
    description: DESCRIPTION,
  },
  {
    name: 'SwitchyardErrorBudgetBurnSlow',
    page: 'requests',
    severity: 'warning',
    for: '15m',
    expr: `${burns(3, '1d', '2h')} or ${burns(1, '3d', '6h')}`,
    summary: 'More requests of {{ $labels.job }} fail than the objective allows.',
    description: DESCRIPTION,
  },
];
