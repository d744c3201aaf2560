import { describeSingleChannel } from '../../../conformance/faults/single-channel.ts';
import { Answers } from '../../../conformance/faults/upstreams.ts';
import { judgeError } from '../../../conformance/judges/index.ts';
import { ownExchanges } from '../../../conformance/shared/recordings.ts';

/* Errors are validated against the published documents. */
describeSingleChannel(new Answers(ownExchanges()), judgeError);
