import type { Model } from '../../../domain/catalog/model.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { MUSIC_ACTIONS, type MusicAction, type MusicRequest } from '../../../domain/tasks/generation-request.ts';
import { parseBody } from '../../../formats/shared/request/body.ts';
import type { BodySource } from '../../../formats/shared/request/body-scan.ts';
import { GovernedNames } from '../../../formats/shared/request/governed-names.ts';
import { LONGEST_MODEL, wrongField } from '../../../formats/shared/request/request-fields.ts';
import { BodyFields, LONGEST_PROMPT } from '../body-fields.ts';

/** Members that the gateway reads. Each may occur once, in the correct spelling. */
export const MUSIC_NAMES = new GovernedNames({
  model: true,
  prompt: true,
  title: true,
  tags: true,
  action: true,
  mv: true,
  continue_clip_id: true,
  continue_at: true,
  user: true,
  provider_options: true,
});

/** Providers accept 80 to 100 characters of a title and up to 1,000 of tags, and report their own lower limits. */
const LONGEST_TITLE = 500;
const LONGEST_TAGS = 4_000;
/** No clip lasts longer than a day. */
const MOST_SECONDS = 86_400;
const CLIP_ID = /^[\x21-\x7e]{1,256}$/;

/**
 * Reads and checks the body of `POST /v1/music/generations`. `defaultModel` returns the model of a request that names none; `null` for
 * none. `withAction` settles the action once the model is known.
 */
export function parseMusic(
  source: BodySource,
  { defaultModel }: { readonly defaultModel: (action: MusicAction) => string | null },
): MusicRequest | Failure {
  const parsed = parseBody(source, '`prompt`', MUSIC_NAMES);
  if (parsed instanceof Failure) return parsed;
  const { body } = parsed;
  const fields = new BodyFields(body);
  const action = fields.oneOf('action', MUSIC_ACTIONS) ?? 'MUSIC';
  const model = fields.model('music', defaultModel(action));
  const prompt = fields.text('prompt', LONGEST_PROMPT) ?? '';
  if (prompt.trim() === '') fields.missing('prompt', 'a description of the style, mood and instruments');
  const request: MusicRequest = {
    ...{ kind: 'music', model, prompt },
    title: fields.text('title', LONGEST_TITLE),
    tags: fields.text('tags', LONGEST_TAGS),
    action,
    mv: fields.text('mv', LONGEST_MODEL),
    continueClipId: clipIdOf(fields),
    continueAtSeconds: fields.number('continue_at', { least: 0, most: MOST_SECONDS }),
    user: fields.text('user'),
    options: fields.record('provider_options'),
    body,
  };
  if (request.continueAtSeconds !== null && request.continueClipId === null) {
    fields.wrong('invalid_value', 'continue_at', 'requires `continue_clip_id`, the clip to continue');
  }
  return fields.failure ?? request;
}

function clipIdOf(fields: BodyFields): string | null {
  const id = fields.text('continue_clip_id');
  if (id === null || CLIP_ID.test(id)) return id;
  return fields.wrong(
    'invalid_value',
    'continue_clip_id',
    'must be the id of a clip, 1 to 256 characters without spaces',
  );
}

/** Returns whether the model only writes lyrics (contract, POST /v1/music/generations), by its tags or its id. */
export function isLyricsModel({ id, tags }: Pick<Model, 'id' | 'tags'>): boolean {
  return tags.includes('lyrics') || /(?:^|[^a-z0-9])lyrics(?:$|[^a-z0-9])/i.test(id);
}

/** Returns the request with the model's action: a lyrics model writes lyrics even if the client named no action. */
export function withAction(request: MusicRequest, model: Pick<Model, 'id' | 'tags'>): MusicRequest | Failure {
  const isSaid = (request.body.action ?? null) !== null;
  const isLyrics = isLyricsModel(model);
  if (isLyrics && isSaid && request.action === 'MUSIC') {
    return wrongField(
      'invalid_value',
      'action',
      `is \`MUSIC\`, but \`${model.id}\` only writes lyrics; send \`LYRICS\``,
    );
  }
  const action: MusicAction = isLyrics ? 'LYRICS' : request.action;
  if (action === 'LYRICS' && request.continueClipId !== null) {
    return wrongField('invalid_value', 'continue_clip_id', 'continues music, but the request asks for lyrics');
  }
  return { ...request, action };
}
