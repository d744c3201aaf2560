import { type AlertCase, JOB, NODE, OTHER_NODE, of } from '../alert-case.ts';

const served = of('switchyard_requests_total', { status: '200', code: '' });
const failed = of('switchyard_requests_total', { status: '503', code: 'all_channels_failed', model: 'm' });
const refused = of('switchyard_requests_total', { status: '400', code: 'invalid_request' });
const abandoned = of('switchyard_requests_total', { status: '499', code: 'client_closed_request' });
const stopping = of('switchyard_requests_total', { status: '503', code: 'shutting_down' });
const usable = (labels: Readonly<Record<string, string>>, node = NODE) =>
  of('switchyard_model_channels_usable', labels, node);

export const REQUEST_CASES: readonly AlertCase[] = [
  {
    alert: 'SwitchyardErrorBudgetBurnFast',
    when: '2 % of requests fail for an hour',
    series: { [served]: '0+980x90', [failed]: '0+20x90' },
    at: '75m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardErrorBudgetBurnFast',
    when: '1 % of requests fail for six hours',
    series: { [served]: '0+9900x60', [failed]: '0+100x60' },
    every: '10m',
    at: '8h',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardErrorBudgetBurnFast',
    when: 'half of the requests of a namespace fail, and none in the others',
    series: {
      [of('switchyard_requests_total', { status: '502', code: 'upstream_error', namespace: 'one' })]: '0+50x90',
      [of('switchyard_requests_total', { status: '200', code: '', namespace: 'one' })]: '0+50x90',
      [of('switchyard_requests_total', { status: '200', code: '', namespace: 'two' })]: '0+90000x90',
    },
    at: '75m',
    fires: [{ ...JOB, namespace: 'one' }],
  },
  {
    alert: 'SwitchyardErrorBudgetBurnFast',
    when: 'the failures ended half an hour ago',
    series: { [served]: '0+980x120', [failed]: '0+40x60 2400x60' },
    at: '95m',
    fires: [],
  },
  {
    alert: 'SwitchyardErrorBudgetBurnFast',
    when: 'clients make mistakes or leave, and a gateway stops',
    series: { [served]: '0+900x90', [refused]: '0+900x90', [abandoned]: '0+900x90', [stopping]: '0+900x90' },
    at: '75m',
    fires: [],
  },
  {
    alert: 'SwitchyardErrorBudgetBurnSlow',
    when: '0.4 % of requests fail for a day',
    series: { [served]: '0+9960x200', [failed]: '0+40x200' },
    every: '10m',
    at: '26h',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardErrorBudgetBurnSlow',
    when: '0.05 % of requests fail for three days',
    series: { [served]: '0+9995x500', [failed]: '0+5x500' },
    every: '10m',
    at: '74h',
    fires: [],
  },
  {
    alert: 'SwitchyardNoChannelForModel',
    when: 'the only channel of a model is blocked',
    series: { [usable({ model: 'm' })]: '1x4 0x10', [usable({ model: 'n' })]: '1x14' },
    at: '10m',
    fires: [{ ...JOB, model: 'm' }],
  },
  {
    alert: 'SwitchyardNoChannelForModel',
    when: 'another gateway can still use a channel',
    series: { [usable({ model: 'm' })]: '0x10', [usable({ model: 'm' }, OTHER_NODE)]: '1x10' },
    at: '10m',
    fires: [],
  },
  {
    alert: 'SwitchyardAllChannelsFailed',
    when: 'requests for a model fail for more than five minutes',
    series: { [failed]: '0+1x15' },
    at: '12m',
    fires: [{ ...JOB, model: 'm' }],
  },
  {
    alert: 'SwitchyardAllChannelsFailed',
    when: 'a single request failed',
    series: { [failed]: '0 1x15' },
    at: '12m',
    fires: [],
  },
  {
    alert: 'SwitchyardSlowFirstByte',
    when: 'a tenth of the requests wait for half a minute',
    series: buckets([90, 100]),
    at: '25m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardSlowFirstByte',
    when: '1 % of the requests wait for half a minute',
    series: buckets([99, 100]),
    at: '25m',
    fires: [],
  },
  {
    alert: 'SwitchyardKeysRefused',
    when: 'keys are guessed',
    series: { [of('switchyard_refused_keys_total', { outcome: 'refused' })]: '0+1200x15' },
    at: '12m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardKeysRefused',
    when: 'a client retries with an old key now and then',
    series: { [of('switchyard_refused_keys_total', { outcome: 'refused' })]: '0+60x15' },
    at: '12m',
    fires: [],
  },
];

/** Returns the buckets of requests that took less than 10 s, and less than 30 s. */
function buckets([under10, under30]: readonly [number, number]): Readonly<Record<string, string>> {
  const bucket = (le: string) => of('switchyard_request_first_byte_seconds_bucket', { format: 'openai', le });
  return { [bucket('10')]: `0+${under10}x30`, [bucket('30')]: `0+${under30}x30`, [bucket('+Inf')]: `0+${under30}x30` };
}
