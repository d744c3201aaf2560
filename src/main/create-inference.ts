import type { SuccessSnapshot } from '../domain/catalog/preference.ts';
import { identify } from '../engine/access/authenticate.ts';
import { AccountBatches } from '../engine/batches/account-batches.ts';
import { AccountFiles } from '../engine/batches/account-files.ts';
import { MessageBatches, messageBatchBounds } from '../engine/batches/messages/message-batches.ts';
import { ServedApis } from '../engine/batches/served-apis.ts';
import type { CacheFeedback } from '../engine/cache/feedback.ts';
import type { AdmittedCallPorts } from '../engine/call/admitted-call.ts';
import { KeyUsage } from '../engine/key-usage/key-usage.ts';
import { UsageLimits } from '../engine/key-usage/usage-limits.ts';
import { Models } from '../engine/model-listing/models.ts';
import type { FileSettings } from '../engine/settings/settings.ts';
import { StoredResponses } from '../engine/stored-responses/stored-responses.ts';
import { AccountTasks } from '../engine/tasks/account-tasks.ts';
import { AccountVideos } from '../engine/tasks/account-videos.ts';
import { TaskReader } from '../engine/tasks/read-task.ts';
import { openaiResponses } from '../formats/text/openai-responses/index.ts';
import { BodyBudget } from '../transports/inference/body-budget.ts';
import { ClientAddresses } from '../transports/inference/client-address.ts';
import type { UploadFolder } from '../transports/inference/form/upload-folder.ts';
import { type InferenceRoutes, inferenceRoutes } from '../transports/inference/inference.ts';
import { ResponseSockets } from '../transports/inference/response-sockets.ts';
import type { ManagementRoute } from '../transports/management/route.ts';
import { createCacheFeedback } from './create-cache.ts';
import type { CallParts, CallServices } from './create-calls.ts';
import { createOpenApi } from './create-openapi.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { newId, newRequestId } from './system.ts';
import { storeFailure } from './unavailable.ts';

/** The limits for receiving bodies, and what else every endpoint needs to know about its client. */
export interface Receiving {
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  readonly maxSocketsPerAccount: number;
  readonly bodyBudget: BodyBudget;
  readonly uploadFolder: UploadFolder;
  readonly addresses: ClientAddresses;
  readonly publicUrl: string | null;
  readonly newRequestId: () => string;
}

export function createReceiving(options: GatewayOptions): Receiving {
  const { maxBodyBytes, maxUploadBytes, maxSocketsPerAccount, uploadFolder, publicUrl } = options;
  return {
    maxBodyBytes,
    maxUploadBytes,
    maxSocketsPerAccount,
    bodyBudget: new BodyBudget(options.bodyMemoryBytes, maxBodyBytes),
    uploadFolder,
    addresses: new ClientAddresses(options.trustedProxies),
    publicUrl,
    newRequestId,
  };
}

/** The parts of the gateway that the inference endpoints use. */
interface InferenceParts extends Pick<CallParts, 'source' | 'limits' | 'wrongKeys' | 'metrics'> {
  readonly services: CallServices;
  readonly receiving: Receiving;
  /** Returns the latest success rates. */
  readonly snapshot: () => SuccessSnapshot | null;
  /** Resolves to the routes of the management API, for the OpenAPI document. */
  readonly managementRoutes: () => Promise<readonly ManagementRoute[]>;
}

export interface CreatedInference extends InferenceRoutes {
  readonly responseSockets: ResponseSockets;
  readonly cacheFeedback: CacheFeedback;
}

/** Wires the inference endpoints. */
export function createInference(options: GatewayOptions, parts: InferenceParts): CreatedInference {
  const { clock, store, cache, logger, mediaStore, pageTokens, listing, counters, retention } = options;
  const { services, source, limits, wrongKeys, metrics, receiving, snapshot } = parts;
  const { calls, operations, relays, realtime, texts, tasks, keyUsed } = services;
  const { principals } = source;
  const { vendorKey, minimumSamples } = listing;
  const directory = () => source.current();
  const admit: AdmittedCallPorts = { principals, limits, clock, keyUsed, wrongKeys };
  const reading = { ...admit, mediaStore, directory, costInAnswers: options.routing.costInAnswers };
  const responseSockets = new ResponseSockets({
    ...receiving,
    ...{ clock, tracing: options.tracing },
    respond: (inbound) => calls.run(operations.text, inbound),
    openConnection: (accountId) => texts.connections.open(accountId),
    identify: (caller) => identify(admit, caller),
  });
  const fileSettings = fileSettingsOf(options);
  const newFileId = () => newId('file-', 32);
  const files = new AccountFiles({ files: store.files, clock, newFileId, settings: fileSettings });
  const batches = new AccountBatches({
    ...{ batches: store.batches, files, clock, settings: options.batches, ...services.batches },
    newBatchId: () => newId('batch_', 32),
  });
  const messageBatches = new MessageBatches({
    ...{ batches: store.batches, files: store.files, clock, settings: options.batches, fileSettings, newFileId },
    bounds: messageBatchBounds(options.batches, options.maxBodyBytes),
    newBatchId: () => newId('msgbatch_', 32),
    runner: services.batches.runner,
  });
  const apis = { files, batches, 'message-batches': messageBatches };
  const cacheFeedback = createCacheFeedback({ cache, store, logger }, { ...admit, metrics });
  const routes = inferenceRoutes({
    ...receiving,
    calls,
    operations,
    servedApis: new ServedApis({ ...admit, relays, directory, newRequestId, apis }),
    realtime,
    responseSockets,
    storedResponses: new StoredResponses({
      ...admit,
      responses: store.responses,
      issued: texts.issued,
      format: openaiResponses,
    }),
    keyUsage: new KeyUsage({
      ...admit,
      limits: new UsageLimits(counters),
      ...{ ledger: store.ledger, usage: store.usage, retention: store.retention, kept: retention },
      storeFailure,
    }),
    taskReader: new TaskReader({ ...reading, tasks: store.tasks }),
    accountVideos: new AccountVideos({ ...reading, tasks: store.tasks, mediaStore, logger }),
    accountTasks: new AccountTasks({ ...reading, tasks: store.tasks, running: tasks }),
    models: new Models({ ...admit, directory, snapshot, minimumSamples }),
    cacheFeedback,
    mediaStore,
    pageTokens,
    vendorKey,
    openapi: createOpenApi({ ...options, vendorKey, management: parts.managementRoutes }),
  });
  return { ...routes, responseSockets, cacheFeedback };
}

function fileSettingsOf({ batches, retention }: Pick<GatewayOptions, 'batches' | 'retention'>): FileSettings {
  return {
    maxFileBytes: batches.maxFileBytes,
    maxFiles: batches.maxFilesPerAccount,
    maxBytes: batches.maxFileBytesPerAccount,
    keepMs: retention.batchesMs,
  };
}
