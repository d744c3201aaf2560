import { z } from 'zod';

const address = z.string().nullable();

/** How a request of `switchyard doctor` has arrived at the gateway. */
export const probeReportSchema = z.object({
  object: z.literal('gateway.probe'),
  version: z.string(),
  /** The path as it arrived, without the query. */
  path: z.string(),
  /** The address of the connection's other end. */
  peer: address,
  /** The client's address as the gateway determines it. */
  client: address,
  /** Whether the peer is in `server.trusted_proxies`. */
  is_peer_trusted: z.boolean(),
  /** The address with which links would begin without `server.public_url`. */
  origin: z.string(),
  /** `server.public_url` of the gateway. */
  public_url: z.string().nullable(),
  max_body_bytes: z.number(),
  /** Those of `PROBED_HEADERS` that arrived. */
  headers: z.record(z.string(), z.string()),
});

export type ProbeReport = z.output<typeof probeReportSchema>;

/** The headers that clients send and that proxies add. */
export const PROBED_HEADERS = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'anthropic-version',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-prefix',
] as const;
