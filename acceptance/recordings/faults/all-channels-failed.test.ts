import { describeAllChannelsFailed } from '../../../conformance/faults/all-channels-failed.ts';
import { Answers } from '../../../conformance/faults/upstreams.ts';
import { judgeError } from '../../../conformance/judges/index.ts';
import { ownExchanges } from '../../../conformance/shared/recordings.ts';

/* Errors are validated against the published documents. */
describeAllChannelsFailed(new Answers(ownExchanges()), judgeError);
