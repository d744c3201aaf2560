import { type Alert, by, grown } from './alert.ts';

const LEASES = 'switchyard_lease_requests_total';

export const MONEY_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardChargesLate',
    page: 'money',
    severity: 'critical',
    for: '1m',
    expr: `${by('max', 'switchyard_queue_oldest_seconds{queue="charges"}', 'instance')} > 2`,
    summary: 'Charges of {{ $labels.instance }} wait for the database.',
    description:
      'The oldest charge has waited for {{ $value | humanizeDuration }}. Clients wait for it at the end of each response; after five seconds requests are refused.',
  },
  {
    name: 'SwitchyardChargesLost',
    page: 'money',
    severity: 'critical',
    expr: `${by('sum', 'increase(switchyard_lost_charges_total[1h])', 'instance')} > 0`,
    summary: 'Charges of {{ $labels.instance }} could not be written.',
    description:
      '{{ $value | humanize }} charges of the last hour are only in the log, and have to be entered by hand.',
  },
  {
    name: 'SwitchyardChargesHeld',
    page: 'money',
    severity: 'warning',
    expr: grown('switchyard_held_charges_total', '1h', 'channel', 'model'),
    summary: 'Channel {{ $labels.channel }} reported an implausibly high usage for {{ $labels.model }}.',
    description: 'The excess of {{ $value | humanize }} charges of the last hour waits for an operator’s decision.',
  },
  {
    name: 'SwitchyardLeaseStarvation',
    page: 'money',
    severity: 'warning',
    for: '10m',
    expr: `${by('sum', 'rate(switchyard_money_refusals_total{limit="account_balance_in_use"}[5m])')} > 0`,
    summary: 'Gateways of {{ $labels.job }} refuse requests of accounts that have money.',
    description:
      '{{ $value | humanize }} requests per second are refused, because the balance is leased by other processes or reserved for other requests.',
  },
  {
    name: 'SwitchyardLeasesFail',
    page: 'money',
    severity: 'critical',
    for: '5m',
    expr: `${by('sum', `rate(${LEASES}{outcome="failed"}[5m])`, 'instance')} > 0`,
    summary: '{{ $labels.instance }} cannot lease money from the database.',
    description: 'When its leases are used up, it refuses the requests of prepaid accounts.',
  },
  {
    name: 'SwitchyardLeasesLost',
    page: 'money',
    severity: 'warning',
    expr: `${by('sum', 'increase(switchyard_lease_losses_total[15m])', 'instance')} > 0`,
    summary: '{{ $labels.instance }} did not renew its leases in time.',
    description:
      'The process was blocked, or the database did not respond. Charges that arrived afterwards may be uncovered.',
  },
  {
    name: 'SwitchyardChargesUncovered',
    page: 'money',
    severity: 'warning',
    expr: `${by('sum', 'increase(switchyard_uncovered_charges_usd_total[1h])')} > 0`,
    summary: 'Charges of {{ $labels.job }} were deducted after their leases had expired.',
    description:
      '{{ $value | printf "%.4f" }} USD of the last hour were not covered by a lease, so a balance may be below zero.',
  },
  {
    name: 'SwitchyardLedgerMismatch',
    page: 'money',
    severity: 'critical',
    expr: `${by('max', 'switchyard_ledger_problems')} > 0`,
    summary: 'The books of {{ $labels.job }} do not agree.',
    description: 'The latest `switchyard ledger verify` found {{ $value }} problems.',
  },
  {
    name: 'SwitchyardLedgerNotVerified',
    page: 'money',
    severity: 'warning',
    for: '1h',
    expr: `time() - ${by('max', 'switchyard_ledger_verified_timestamp_seconds')} > 8 * 86400`,
    summary: 'The ledger of {{ $labels.job }} was not verified for more than a week.',
    description: 'The latest `switchyard ledger verify` was {{ $value | humanizeDuration }} ago.',
  },
];
