import type { RemoteOptions } from '../remote/remote-options.ts';
import type { RequestOptions } from '../remote/request-options.ts';
import type { Grouping, Sorting } from './traffic.ts';

export interface TopOptions extends RemoteOptions, RequestOptions {
  readonly once?: boolean;
  readonly json?: boolean;
  readonly interval?: number;
  readonly slow?: number;
  readonly group?: Grouping;
  readonly sort?: Sorting;
}

export const DEFAULT_INTERVAL_SECONDS = 2;
