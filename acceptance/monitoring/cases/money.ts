import { type AlertCase, JOB, NODE, of } from '../alert-case.ts';

const charges = of('switchyard_queue_oldest_seconds', { queue: 'charges' });
const leases = (outcome: string) => of('switchyard_lease_requests_total', { outcome });
const refusals = (limit: string) => of('switchyard_money_refusals_total', { limit });
const held = of('switchyard_held_charges_total', { channel: 'c', model: 'm' });
const verified = of('switchyard_ledger_verified_timestamp_seconds');

export const MONEY_CASES: readonly AlertCase[] = [
  {
    alert: 'SwitchyardChargesLate',
    when: 'a charge waits longer than two seconds at every look',
    series: { [charges]: '0 3 4 5 6' },
    at: '4m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardChargesLate',
    when: 'the database was slow once, and lines of the request log wait',
    series: { [charges]: '0 3 0.01x10', [of('switchyard_queue_oldest_seconds', { queue: 'request_log' })]: '9x12' },
    at: '4m',
    fires: [],
  },
  {
    alert: 'SwitchyardChargesLost',
    when: 'a charge was given up',
    series: { [of('switchyard_lost_charges_total')]: '0x5 1x20' },
    at: '20m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardChargesLost',
    when: 'a charge was given up two hours ago',
    series: { [of('switchyard_lost_charges_total')]: '0 1x130' },
    at: '125m',
    fires: [],
  },
  {
    alert: 'SwitchyardChargesHeld',
    when: 'an upstream reported too much usage',
    series: { [held]: '_x65 1x20' },
    at: '80m',
    fires: [{ ...JOB, channel: 'c', model: 'm' }],
  },
  {
    alert: 'SwitchyardChargesHeld',
    when: 'charges were held long ago',
    series: { [held]: '3x90' },
    at: '80m',
    fires: [],
  },
  {
    alert: 'SwitchyardLeaseStarvation',
    when: 'accounts with money are refused for ten minutes',
    series: { [refusals('account_balance_in_use')]: '0+2x30' },
    at: '20m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardLeaseStarvation',
    when: 'accounts without money are refused',
    series: { [refusals('account_balance')]: '0+50x30', [refusals('account_balance_in_use')]: '0x30' },
    at: '20m',
    fires: [],
  },
  {
    alert: 'SwitchyardLeasesFail',
    when: 'leases cannot be written',
    series: { [leases('failed')]: '0+3x20', [leases('granted')]: '0+3x20' },
    at: '12m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardLeasesFail',
    when: 'leases are refused, because too little is left',
    series: { [leases('failed')]: '0x20', [leases('refused')]: '0+3x20' },
    at: '12m',
    fires: [],
  },
  {
    alert: 'SwitchyardLeasesLost',
    when: 'a process was frozen',
    series: { [of('switchyard_lease_losses_total')]: '0x5 1x5' },
    at: '9m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardLeasesLost',
    when: 'the process restarts and counts from 0',
    series: { [of('switchyard_lease_losses_total')]: '2x5 0x5' },
    at: '9m',
    fires: [],
  },
  {
    alert: 'SwitchyardChargesUncovered',
    when: 'charges arrived too late',
    series: { [of('switchyard_uncovered_charges_usd_total')]: '0x5 0.25x5' },
    at: '9m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardChargesUncovered',
    when: 'all charges were covered',
    series: { [of('switchyard_uncovered_charges_usd_total')]: '0.25x30' },
    at: '20m',
    fires: [],
  },
  {
    alert: 'SwitchyardLedgerMismatch',
    when: 'a verification found a problem',
    series: { [of('switchyard_ledger_problems')]: '0x5 2x5' },
    at: '8m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardLedgerMismatch',
    when: 'the ledger agrees',
    series: { [of('switchyard_ledger_problems')]: '0x10' },
    at: '8m',
    fires: [],
  },
  {
    alert: 'SwitchyardLedgerNotVerified',
    when: 'the last verification was nine days ago',
    // promtool's clock starts in 1970.
    series: { [verified]: '0x1400' },
    every: '10m',
    at: '218h',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardLedgerNotVerified',
    when: 'the ledger was verified two days ago, or never',
    series: { [verified]: '604800x1400' },
    every: '10m',
    at: '218h',
    fires: [],
  },
];
