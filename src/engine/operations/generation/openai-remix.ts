import { placeAt } from '../../../domain/catalog/channel.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { FormRules } from '../../../domain/media/uploaded-file.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { Task, TaskTarget } from '../../../domain/tasks/task.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { GovernedNames } from '../../../formats/shared/request/governed-names.ts';
import { missingField, wrongField } from '../../../formats/shared/request/request-fields.ts';
import type { TaskWire } from '../../../formats/shared/tasks/wire.ts';
import type { Asking, FormInbound, OpenCall, Operation } from '../../call/operation.ts';
import type { Target } from '../../directory/target.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MediaStore } from '../../ports/media-store.ts';
import { taskNotFound } from '../../tasks/cancel-failures.ts';
import { isGone } from '../../tasks/read-task.ts';
import { isTaskId } from '../../tasks/task-list.ts';
import { viewOf } from '../../tasks/task-view.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { videoView } from '../../tasks/video-view.ts';
import { BodyFields, LONGEST_PROMPT } from '../body-fields.ts';
import type { GenerationAsker } from './generation-reply.ts';
import { namedModel, readEither } from './openai-videos.ts';
import { isPublicUrl } from './parse-video.ts';

const FIELDS = { prompt: true, model: true, seconds: true, size: true, video: true, 'video.id': true } as const;
const NAMES = new GovernedNames(FIELDS);
const FORM_RULES: FormRules = { files: {}, lists: [], texts: ['prompt', 'model', 'seconds', 'size', 'video[id]'] };

export interface RemixPorts {
  readonly taskStore: Pick<Tasks, 'find'>;
  readonly mediaStore: Pick<MediaStore, 'link'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Handles `POST /v1/videos/{id}/remix` and `POST /v1/videos/edits` as OpenAI's clients call them: a new video from a completed video of the
 * account and a prompt, with the same model. At the provider's own API for that if the video was made there over one (`TaskWire.remix`),
 * otherwise as a change of a video by its URL, over any wire that takes one.
 */
export class OpenaiRemix implements Operation<FormInbound> {
  constructor(
    private readonly method: 'remix' | 'edit',
    private readonly videos: GenerationAsker<VideoRequest>,
    private readonly ports: RemixPorts,
  ) {}

  async read(inbound: FormInbound, call: OpenCall): Promise<Asking | Failure> {
    const { principal, outcome } = call;
    const body = await readEither(inbound, call, { rules: FORM_RULES, names: NAMES, needed: '`prompt`' });
    if (body instanceof Failure) return body;
    outcome.wants(namedModel(body));
    const { members } = body;
    const fields = new BodyFields(members);
    const prompt = fields.text('prompt', LONGEST_PROMPT) ?? '';
    if (fields.failure !== null) return fields.failure;
    if (prompt.trim() === '') return missingField('prompt', 'a description of the change');
    const unknown = ['model', 'seconds', 'size'].find((name) => members[name] != null);
    if (unknown !== undefined) {
      return wrongField('invalid_value', unknown, 'cannot be sent: it is that of the video that is changed');
    }
    const id = this.method === 'remix' ? idInPath(inbound) : idIn(members);
    if (id instanceof Failure) return id;
    const source = await this.sourceOf(id, principal.account.id);
    if (source instanceof Failure) return source;
    const { request, isReachable } = this.requestOf(source, prompt, inbound.origin());
    outcome.wants(request.model);
    outcome.asks({ stream: false });
    const reply = { view: videoView, remixedFrom: source.id, adapt: this.adapterFor(source, isReachable) };
    return this.videos.asking(request, inbound, call, reply);
  }

  /** Resolves to a completed video of the account. */
  private async sourceOf(id: string, accountId: string): Promise<Task | Failure> {
    const task = isTaskId(id) ? await this.ports.taskStore.find(id) : null;
    const isOwn = task !== null && task.accountId === accountId && task.kind === 'video';
    if (!isOwn || isGone(task, this.ports.clock.nowMs())) return taskNotFound();
    if (task.stage === 'completed') return task;
    const message = 'The video is not completed, so it cannot be changed.';
    return new Failure('conflict', { message, hint: 'Wait until its `status` is `completed`.' });
  }

  private requestOf(source: Task, prompt: string, origin: string) {
    const { mediaStore } = this.ports;
    const [made] = viewOf(source, { mediaStore, origin }).data ?? [];
    const url = made?.url ?? '';
    const request: VideoRequest = {
      ...{ kind: 'video', model: source.modelId, operation: 'video-to-video', prompt, negativePrompt: null },
      ...{ firstImage: null, lastImage: null, referenceImages: [], count: 1, seed: null, audio: null, user: null },
      videoUrl: url,
      // A change keeps the length and the shape of its video.
      ...{ durationSeconds: null, aspectRatio: null, resolution: null, size: null },
      ...{ options: {}, body: { prompt } },
    };
    return { request, isReachable: isPublicUrl(url) };
  }

  /** Returns the wires for a change of this video. */
  private adapterFor({ target, ticket }: Task, isReachable: boolean) {
    return (wire: TaskWire<VideoRequest>, at: Target): TaskWire<VideoRequest> => {
      const remix = isAt(target, at) ? wire.remix : undefined;
      if (remix !== undefined && target !== null && ticket !== null) {
        return { ...wire, asks: () => target.asked, encodeRequest: (request) => remix(ticket, request) };
      }
      const isRead = isReachable || at.isSynthetic === true;
      return { ...wire, encodeRequest: isRead ? this.byUrl(wire) : () => unreachable() };
    };
  }

  /** Says which method is not available, since the client has not sent the field that the wire refuses. */
  private byUrl(wire: TaskWire<VideoRequest>): TaskWire<VideoRequest>['encodeRequest'] {
    return async (request, target, context) => {
      const encoded = await wire.encodeRequest(request, target, context);
      if (!(encoded instanceof Failure) || encoded.details.param !== 'video_url') return encoded;
      return new Failure('invalid_request', {
        message: `\`videos.${this.method}\` is not available for this video: the provider of its model cannot change videos.`,
        hint: 'Create a new video with the prompt, or use a model of a provider that takes `video_url`.',
      });
    };
  }
}

function idInPath(inbound: FormInbound): string {
  return inbound.line?.().path.split('/').at(-2) ?? '';
}

function idIn(members: Readonly<Record<string, unknown>>): string | Failure {
  const { video, 'video[id]': inForm } = members;
  const id = inForm ?? (isRecord(video) ? video.id : null);
  if (typeof id === 'string') return id;
  return missingField('video', 'an object with the `id` of a completed video; uploaded videos are not supported');
}

/** The provider knows the job only with the key under which it was made. */
function isAt(made: TaskTarget | null, { place, wire }: Target): boolean {
  return made !== null && placeAt(made.channelId, made.keyId ?? null) === place && made.wire === wire.name;
}

function unreachable(): Failure {
  return new Failure('invalid_request', {
    message: 'The video is stored in this gateway, at an address that the provider of its model cannot reach.',
    hint: 'The operator can set `server.public_url` to a public https address, so that providers can read stored videos.',
  });
}
