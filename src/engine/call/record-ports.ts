import type { ForwardedId } from '../../domain/trace/forwarded-ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RequestLog } from '../ports/request-log.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { CallsInProgress } from './calls-in-progress.ts';
import type { EndUsers } from './end-users.ts';
import type { TagValues } from './tag-values.ts';

/** The dependencies of the record of a call. */
export interface RecordPorts {
  readonly clock: Clock;
  readonly log: Pick<RequestLog, 'append'>;
  readonly metrics: Metrics;
  /** Lists the calls in progress; absent if nobody reads them. */
  readonly progress?: Pick<CallsInProgress, 'began' | 'ended'>;
  readonly logger: Logger;
  readonly tagValues: Pick<TagValues, 'summed'>;
  readonly endUsers: Pick<EndUsers, 'storedTags' | 'withLabels' | 'withUser'>;
  /** Absent while tracing is switched off. */
  readonly tracing?: Tracing | null;
  /** Whether answers tell their cost (docs/cost-in-answers.md); not if absent. */
  readonly costInAnswers?: boolean;
  /** The ids that upstreams of shared channels get, unless their channel says otherwise; none by default. */
  readonly forwardIds?: readonly ForwardedId[];
}
