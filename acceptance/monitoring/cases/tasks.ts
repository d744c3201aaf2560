import { type AlertCase, JOB, OTHER_NODE, of } from '../alert-case.ts';

const WORK = { kind: 'video', provider: 'p' };
const oldest = (stage: string) => of('switchyard_tasks_oldest_seconds', { ...WORK, stage });
const polls = (outcome: string) => of('switchyard_task_polls_total', { provider: 'p', channel: 'c', outcome });
const refused = (reason: string) => of('switchyard_media_refused_total', { reason });
const reports = (type: string) => of('switchyard_cache_reports_total', { type });

export const TASK_CASES: readonly AlertCase[] = [
  {
    alert: 'SwitchyardTaskBacklog',
    when: 'tasks are not sent',
    series: { [oldest('created')]: '0+60x20' },
    at: '15m',
    fires: [{ ...JOB, ...WORK, stage: 'created' }],
  },
  {
    alert: 'SwitchyardTaskBacklog',
    when: 'an upstream works on a task for more than two hours',
    series: { [oldest('submitted')]: '0+60x150' },
    at: '130m',
    fires: [{ ...JOB, ...WORK, stage: 'submitted' }],
  },
  {
    alert: 'SwitchyardTaskBacklog',
    when: 'an upstream works on a task for an hour',
    series: { [oldest('submitted')]: '0+60x150', [oldest('created')]: '1x150' },
    at: '60m',
    fires: [],
  },
  {
    alert: 'SwitchyardTasksNotSettled',
    when: 'the database does not take charges',
    series: { [oldest('closing')]: '0+60x20' },
    at: '8m',
    fires: [{ ...JOB, kind: 'video' }],
  },
  {
    alert: 'SwitchyardTasksNotSettled',
    when: 'tasks are charged within seconds',
    series: { [oldest('closing')]: '2x20', [oldest('submitted')]: '900x20' },
    at: '8m',
    fires: [],
  },
  {
    alert: 'SwitchyardPollsFail',
    when: 'two of three polls fail',
    series: { [polls('answered')]: '0+10x30', [polls('http_503')]: '0+20x30' },
    at: '20m',
    fires: [{ ...JOB, provider: 'p' }],
  },
  {
    alert: 'SwitchyardPollsFail',
    when: 'one of three polls fails',
    series: { [polls('answered')]: '0+20x30', [polls('http_503')]: '0+10x30' },
    at: '20m',
    fires: [],
  },
  {
    alert: 'SwitchyardMediaRefused',
    when: 'the store is full',
    series: { [refused('media_store_full')]: '0x5 4x5' },
    at: '8m',
    fires: [{ ...JOB, reason: 'media_store_full' }],
  },
  {
    alert: 'SwitchyardMediaRefused',
    when: 'one account has used up its share',
    series: { [refused('media_account_full')]: '0x5 4x5', [refused('media_store_full')]: '0x10' },
    at: '8m',
    fires: [],
  },
  {
    alert: 'SwitchyardUnsafeCachedResponse',
    when: 'a client reports a response at either gateway',
    series: {
      [reports('unsafe')]: '0x10',
      [of('switchyard_cache_reports_total', { type: 'unsafe' }, OTHER_NODE)]: '0x5 1x5',
    },
    at: '8m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardUnsafeCachedResponse',
    when: 'a client reports an outdated response',
    series: { [reports('unsafe')]: '0x10', [reports('outdated')]: '0x5 1x5' },
    at: '8m',
    fires: [],
  },
];
