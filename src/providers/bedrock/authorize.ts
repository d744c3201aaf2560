import { AwsV4Signer } from 'aws4fetch';
import { Failure } from '../../domain/failure/failure.ts';
import { PiecedBody } from '../../domain/media/pieced-body.ts';
import type { ChannelCredentials, Signer } from '../manifest.ts';
import { bearer } from '../shared/headers.ts';

/*
 * A channel's key is either a Bedrock API key, sent as it is, or a pair of AWS credentials in one text, because only the key is
 * encrypted at rest: `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, for temporary ones followed by `:SESSION_TOKEN`. A Bedrock API key never
 * has a colon.
 */

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

const CREDENTIALS = /^([A-Z0-9]{16,128}):([^\s:]+)(?::([^\s:]+))?$/;

function awsCredentials(apiKey: string | null): AwsCredentials | null {
  const [, accessKeyId, secretAccessKey, sessionToken = null] = CREDENTIALS.exec(apiKey ?? '') ?? [];
  return accessKeyId === undefined || secretAccessKey === undefined
    ? null
    : { accessKeyId, secretAccessKey, sessionToken };
}

export function authorize({ apiKey }: ChannelCredentials): Record<string, string> {
  return awsCredentials(apiKey) === null ? bearer(apiKey) : {};
}

const DEFAULT_REGION = 'us-east-1';

export function regionOf(settings: Readonly<Record<string, unknown>>): string {
  return typeof settings.region === 'string' ? settings.region : DEFAULT_REGION;
}

/** A signing key is valid for a day, region and service; more than this many are never in use at once. */
const CACHED_KEYS = 4;

/**
 * Signs with Signature Version 4 (AWS General Reference, "Signing AWS API requests"), for the service `bedrock`. Only the host
 * and Amazon's own headers are signed, so that headers added by a proxy do no harm.
 */
export function signer(channel: ChannelCredentials, now: () => number = Date.now): Signer | null {
  const credentials = awsCredentials(channel.apiKey);
  if (credentials === null) return null;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const region = regionOf(channel.settings);
  const cache = new Map<string, ArrayBuffer>();
  return async ({ method, url, body }) => {
    if (body instanceof PiecedBody) throw new Error('a request with files cannot be signed');
    try {
      if (cache.size >= CACHED_KEYS) cache.clear();
      const signing = new AwsV4Signer({
        method,
        url,
        body,
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === null ? {} : { sessionToken }),
        service: 'bedrock',
        region,
        cache,
        datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      });
      const { headers } = await signing.sign();
      return Object.fromEntries(headers.entries());
    } catch {
      // The library's message may quote the URL or the key.
      return new Failure('upstream_error', {
        kind: 'upstream_auth',
        message: "The request could not be signed with the channel's AWS credentials.",
        retry: 'other-target',
      });
    }
  };
}
