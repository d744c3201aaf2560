import type { MetricSection } from './definition.ts';

/** The buckets of the conventions. */
const OPERATION_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
] as const;
const FIRST_TOKEN_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const;
const OUTPUT_TOKEN_SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5] as const;
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
] as const;

const ATTRIBUTES = {
  gen_ai_operation_name: 'gen_ai.operation.name',
  gen_ai_provider_name: 'gen_ai.provider.name',
  gen_ai_request_model: 'gen_ai.request.model',
  gen_ai_token_type: 'gen_ai.token.type',
  error_type: 'error.type',
} as const;

const OPERATION = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;

export const GEN_AI = {
  title: 'OpenTelemetry’s GenAI conventions',
  about:
    'Named, bucketed and labelled as in [the conventions](https://github.com/open-telemetry/semantic-conventions-genai), whose names Prometheus’ rules\ntranslate: `gen_ai.client.operation.duration` with the unit `s` is `gen_ai_client_operation_duration_seconds` here, and `gen_ai.request.model` is the\nlabel `gen_ai_request_model`. The `client` is the gateway at a provider: one observation per attempt. The `server` is the gateway for its clients: one\nper request that an upstream answered. `gen_ai_request_model` is the public id of the model in both, so that the numbers can be joined with the others.\n`gen_ai.client.operation.time_per_output_chunk` is left out, because it would have to be taken for each chunk of a stream.',
  families: {
    gen_ai_client_token_usage: {
      type: 'histogram',
      labels: [...OPERATION, 'gen_ai_token_type'],
      bounds: TOKENS,
      otel: { name: 'gen_ai.client.token.usage', unit: '{token}', attributes: ATTRIBUTES },
      help: 'Tokens per request that an upstream answered, `input` and `output`, including cached and reasoning tokens.',
    },
    gen_ai_client_operation_duration_seconds: {
      type: 'histogram',
      labels: [...OPERATION, 'error_type'],
      bounds: OPERATION_SECONDS,
      otel: { name: 'gen_ai.client.operation.duration', unit: 's', attributes: ATTRIBUTES },
      help: 'Duration of an attempt at a provider. `error_type` is the kind of the failure, or empty.',
    },
    gen_ai_client_operation_time_to_first_chunk_seconds: {
      type: 'histogram',
      labels: [...OPERATION],
      bounds: OPERATION_SECONDS,
      otel: { name: 'gen_ai.client.operation.time_to_first_chunk', unit: 's', attributes: ATTRIBUTES },
      help: 'Time from sending a request to a provider to the first byte of the streamed response for the client.',
    },
    gen_ai_server_request_duration_seconds: {
      type: 'histogram',
      labels: [...OPERATION, 'error_type'],
      bounds: OPERATION_SECONDS,
      otel: { name: 'gen_ai.server.request.duration', unit: 's', attributes: ATTRIBUTES },
      help: 'Time from the arrival of a request to the end of its response. `error_type` is the error’s code, or empty.',
    },
    gen_ai_server_time_to_first_token_seconds: {
      type: 'histogram',
      labels: [...OPERATION],
      bounds: FIRST_TOKEN_SECONDS,
      otel: { name: 'gen_ai.server.time_to_first_token', unit: 's', attributes: ATTRIBUTES },
      help: 'Time from the arrival of a request to the first byte of its successful streamed response.',
    },
    gen_ai_server_time_per_output_token_seconds: {
      type: 'histogram',
      labels: [...OPERATION],
      bounds: OUTPUT_TOKEN_SECONDS,
      otel: { name: 'gen_ai.server.time_per_output_token', unit: 's', attributes: ATTRIBUTES },
      help: 'Time per output token after the first, of successful streamed responses.',
    },
  },
} as const satisfies MetricSection;
