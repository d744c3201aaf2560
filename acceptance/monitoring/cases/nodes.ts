import { type AlertCase, JOB, NODE, OTHER_NODE, of } from '../alert-case.ts';

const BUILD = { version: '1.0.0', commit: 'abc', runtime: '1.4.5' };
const build = of('switchyard_build_info', BUILD);
const held = { queue: 'request_log' };
const lag = of('switchyard_configuration_lag_seconds');
const age = of('switchyard_configuration_age_seconds');
const expiry = of('switchyard_certificate_expiry_timestamp_seconds', { host: 'ai.example.com' });
/** A target of Prometheus that is no gateway. */
const STRANGER = { job: 'other', instance: 'z:9100' };

export const NODE_CASES: readonly AlertCase[] = [
  {
    alert: 'SwitchyardNodeDown',
    when: 'one of two gateways does not respond',
    series: {
      [of('up')]: '1x5 0x10',
      [of('up', {}, OTHER_NODE)]: '1x15',
      [build]: '1x5 stale',
      [of('switchyard_build_info', BUILD, OTHER_NODE)]: '1x15',
    },
    at: '10m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardNodeDown',
    when: 'a target that is no gateway does not respond, and a removed gateway is gone',
    series: { [of('up', {}, STRANGER)]: '0x15', [of('up')]: '1x5 stale', [build]: '1x5 stale' },
    at: '10m',
    fires: [],
  },
  {
    alert: 'SwitchyardNoGateway',
    when: 'the only gateway is gone',
    series: { [build]: '1x5 stale' },
    at: '15m',
    fires: [{}],
  },
  {
    alert: 'SwitchyardNoGateway',
    when: 'one of two gateways is left',
    series: { [build]: '1x5 stale', [of('switchyard_build_info', BUILD, OTHER_NODE)]: '1x20' },
    at: '15m',
    fires: [],
  },
  {
    alert: 'SwitchyardNodeRestarts',
    when: 'a gateway starts every three minutes',
    series: {
      [of('process_start_time_seconds')]: '0 0 0 180 180 180 360 360 360 540 540 540 720 720 720',
      [build]: '1x15',
    },
    at: '14m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardNodeRestarts',
    when: 'a gateway is upgraded, and another program restarts',
    series: {
      [of('process_start_time_seconds')]: '0 0 0 180x11',
      [build]: '1x15',
      [of('process_start_time_seconds', {}, STRANGER)]: '0+60x15',
    },
    at: '14m',
    fires: [],
  },
  {
    alert: 'SwitchyardMemoryHigh',
    when: 'two workers together need 95 % of the memory',
    series: {
      [of('process_resident_memory_bytes', { worker: '1' })]: '500x20',
      [of('process_resident_memory_bytes', { worker: '2' })]: '450x20',
      [of('switchyard_memory_available_bytes', { worker: '1' })]: '1000x20',
      [of('switchyard_memory_available_bytes', { worker: '2' })]: '1000x20',
    },
    at: '15m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardMemoryHigh',
    when: 'half of the memory is used',
    series: { [of('process_resident_memory_bytes')]: '500x20', [of('switchyard_memory_available_bytes')]: '1000x20' },
    at: '15m',
    fires: [],
  },
  {
    alert: 'SwitchyardMemoryRefusals',
    when: 'bodies do not fit into their memory',
    series: { [of('switchyard_memory_refusals_total', { part: 'request_bodies' })]: '0+2x20' },
    at: '12m',
    fires: [{ ...NODE, part: 'request_bodies' }],
  },
  {
    alert: 'SwitchyardMemoryRefusals',
    when: 'one request was refused',
    series: { [of('switchyard_memory_refusals_total', { part: 'request_bodies' })]: '0 1x20' },
    at: '12m',
    fires: [],
  },
  {
    alert: 'SwitchyardEventLoopBlocked',
    when: 'the loop is late for ten minutes',
    series: { [of('nodejs_eventloop_lag_p99_seconds')]: '0.01x5 0.6x20', [build]: '1x30' },
    at: '20m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardEventLoopBlocked',
    when: 'the loop was late once, and another Node.js program is slow',
    series: {
      [of('nodejs_eventloop_lag_p99_seconds')]: '0.01x5 0.6 0.01x20',
      [build]: '1x30',
      [of('nodejs_eventloop_lag_p99_seconds', {}, STRANGER)]: '2x30',
    },
    at: '20m',
    fires: [],
  },
  {
    alert: 'SwitchyardDescriptorsShort',
    when: 'nine tenths are open',
    series: { [of('process_open_fds')]: '900x10', [of('process_max_fds')]: '1000x10', [build]: '1x10' },
    at: '8m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardDescriptorsShort',
    when: 'half are open',
    series: { [of('process_open_fds')]: '500x10', [of('process_max_fds')]: '1000x10', [build]: '1x10' },
    at: '8m',
    fires: [],
  },
  {
    alert: 'SwitchyardQueueDrops',
    when: 'lines of the request log are dropped',
    series: { [of('switchyard_queue_dropped_total', held)]: '0x5 7x5' },
    at: '8m',
    fires: [{ ...NODE, ...held }],
  },
  {
    alert: 'SwitchyardQueueDrops',
    when: 'the drops were long ago',
    series: { [of('switchyard_queue_dropped_total', held)]: '0 7x30' },
    at: '25m',
    fires: [],
  },
  {
    alert: 'SwitchyardConfigurationLag',
    when: 'a gateway does not take over a change',
    series: { [lag]: '0 60 120 180 240', [age]: '1x5' },
    at: '4m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardConfigurationLag',
    when: 'a gateway cannot compare its configuration',
    series: { [lag]: '0x10', [age]: '0+60x10' },
    at: '8m',
    fires: [NODE],
  },
  {
    alert: 'SwitchyardConfigurationLag',
    when: 'a change takes some seconds',
    series: { [lag]: '0 3 0 2 0 1', [age]: '4x6' },
    at: '4m',
    fires: [],
  },
  {
    alert: 'SwitchyardMixedVersions',
    when: 'an upgrade stopped in the middle',
    series: { [build]: '1x90', [of('switchyard_build_info', { ...BUILD, version: '1.1.0' }, OTHER_NODE)]: '1x90' },
    at: '80m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardMixedVersions',
    when: 'all gateways have one version',
    series: { [build]: '1x90', [of('switchyard_build_info', BUILD, OTHER_NODE)]: '1x90' },
    at: '80m',
    fires: [],
  },
  {
    alert: 'SwitchyardCertificateExpires',
    when: 'it is valid for ten more days',
    series: { [expiry]: '871200x90' },
    at: '80m',
    fires: [{ ...JOB, host: 'ai.example.com' }],
  },
  {
    alert: 'SwitchyardCertificateExpires',
    when: 'it is valid for a month',
    series: { [expiry]: '2592000x90' },
    at: '80m',
    fires: [],
  },
];
