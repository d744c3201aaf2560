import { FUNCTIONS } from '../functions/index.ts';
import type { PostgresChain } from '../upgrade/migration.ts';
import alerts from './0001-baseline/alerts.sql' with { type: 'text' };
import directory from './0001-baseline/directory.sql' with { type: 'text' };
import ledger from './0001-baseline/ledger.sql' with { type: 'text' };
import operation from './0001-baseline/operation.sql' with { type: 'text' };
import people from './0001-baseline/people.sql' with { type: 'text' };
import requests from './0001-baseline/requests.sql' with { type: 'text' };
import responses from './0001-baseline/responses.sql' with { type: 'text' };
import failedAndUnpriced from './0002-failed-and-unpriced-requests.sql' with { type: 'text' };
import latencySteps from './0003-latency-steps.sql' with { type: 'text' };
import billingDetails from './0004-billing-details.sql' with { type: 'text' };
import upstreamCosts from './0005-upstream-costs.sql' with { type: 'text' };
import requestIdentity from './0006-request-identity.sql' with { type: 'text' };
import { requestIdentityOnline } from './0006-request-identity.ts';
import requestExports from './0007-request-exports.sql' with { type: 'text' };
import modelSteps from './0008-model-steps.sql' with { type: 'text' };
import virtualModels from './0009-virtual-models.sql' with { type: 'text' };
import budgetSteps from './0010-budget-steps.sql' with { type: 'text' };
import usageAccess from './0011-usage-access.sql' with { type: 'text' };
import taskLists from './0012-task-lists.sql' with { type: 'text' };
import { taskListsOnline } from './0012-task-lists.ts';
import channelLimits from './0013-channel-limits.sql' with { type: 'text' };
import upstreamKeys from './0014-upstream-keys.sql' with { type: 'text' };
import batches from './0015-batches.sql' with { type: 'text' };
import batchLines from './0016-batch-lines.sql' with { type: 'text' };
import guards from './0017-guards.sql' with { type: 'text' };
import captures from './0018-captures.sql' with { type: 'text' };
import relayedBatches from './0019-relayed-batches.sql' with { type: 'text' };
import modelSearch from './0021-model-search.sql' with { type: 'text' };
import relayedVerdicts from './0022-relayed-verdicts.sql' with { type: 'text' };
import { OLDEST, UNRELEASED } from './unreleased/index.ts';

const baseline = [directory, ledger, requests, responses, people, alerts, operation].join('\n');

/** A new migration gets the next number. It is SQL text like the baseline, or a function. */
export const POSTGRES_CHAIN: PostgresChain = {
  migrations: {
    '0001-baseline': { up: baseline },
    '0002-failed-and-unpriced-requests': { up: failedAndUnpriced },
    '0003-latency-steps': { up: latencySteps },
    '0004-billing-details': { up: billingDetails },
    '0005-upstream-costs': { up: upstreamCosts },
    '0006-request-identity': { up: requestIdentity, online: requestIdentityOnline },
    '0007-request-exports': { up: requestExports },
    '0008-model-steps': { up: modelSteps },
    '0009-virtual-models': { up: virtualModels },
    '0010-budget-steps': { up: budgetSteps },
    '0011-usage-access': { up: usageAccess },
    '0012-task-lists': { up: taskLists, online: taskListsOnline },
    '0013-channel-limits': { up: channelLimits },
    '0014-upstream-keys': { up: upstreamKeys },
    '0015-batches': { up: batches },
    '0016-batch-lines': { up: batchLines },
    '0017-guards': { up: guards },
    '0018-captures': { up: captures },
    '0019-relayed-batches': { up: relayedBatches },
    '0021-model-search': { up: modelSearch },
    '0022-relayed-verdicts': { up: relayedVerdicts },
  },
  unreleased: UNRELEASED,
  oldest: OLDEST,
  functions: FUNCTIONS,
};
