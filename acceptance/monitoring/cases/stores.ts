import { type AlertCase, NODE, of } from '../alert-case.ts';

const DATABASE = { database: 'postgresql' };
const up = of('switchyard_database_up', DATABASE);
const pending = of('switchyard_database_pending_requests', { pool: 'main' });
const redis = of('switchyard_redis_up', { use: 'limits' });
const DATA = { folder: 'data' };
const free = of('switchyard_disk_free_bytes', DATA);
const size = of('switchyard_disk_size_bytes', DATA);

export const STORE_CASES: readonly AlertCase[] = [
  {
    alert: 'SwitchyardDatabaseDown',
    when: 'the database cannot be written for more than a minute',
    series: { [up]: '1x3 0x5' },
    at: '7m',
    fires: [{ ...NODE, ...DATABASE }],
  },
  {
    alert: 'SwitchyardDatabaseDown',
    when: 'the database fails over within a minute',
    series: { [up]: '1x3 0 1x5' },
    at: '7m',
    fires: [],
  },
  {
    alert: 'SwitchyardDatabaseQueue',
    when: 'thirty statements wait all the time',
    series: { [pending]: '0x5 30x20' },
    at: '20m',
    fires: [{ ...NODE, pool: 'main' }],
  },
  {
    alert: 'SwitchyardDatabaseQueue',
    when: 'statements wait at some moments',
    series: { [pending]: '0 30 0 30 0 30 0 30 0 30 0 30 0 30' },
    at: '12m',
    fires: [],
  },
  {
    alert: 'SwitchyardRedisDown',
    when: 'Redis is unreachable',
    series: { [redis]: '1 0x10' },
    at: '6m',
    fires: [{ ...NODE, use: 'limits' }],
  },
  { alert: 'SwitchyardRedisDown', when: 'Redis restarts', series: { [redis]: '1 0 1x10' }, at: '6m', fires: [] },
  {
    alert: 'SwitchyardDiskFilling',
    when: 'a tenth is free',
    series: { [free]: '10x60', [size]: '100x60' },
    at: '45m',
    fires: [{ ...NODE, ...DATA }],
  },
  {
    alert: 'SwitchyardDiskFilling',
    when: 'it is full within a day at the present speed',
    series: { [free]: '60-0.05x600', [size]: '100x600' },
    at: '540m',
    fires: [{ ...NODE, ...DATA }],
  },
  {
    alert: 'SwitchyardDiskFilling',
    when: 'half is free, or a little is used again and again',
    series: { [free]: '30 29 30 29 30 29 30 29 30 29 30x50', [size]: '100x60' },
    at: '50m',
    fires: [],
  },
  {
    alert: 'SwitchyardDiskFull',
    when: '2 % is free',
    series: { [free]: '2x10', [size]: '100x10' },
    at: '5m',
    fires: [{ ...NODE, ...DATA }],
  },
  {
    alert: 'SwitchyardDiskFull',
    when: 'a tenth is free',
    series: { [free]: '10x10', [size]: '100x10' },
    at: '5m',
    fires: [],
  },
];
