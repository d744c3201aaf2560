import type { MetricSection } from './definition.ts';

export const HOST = {
  title: 'The machine and the public address',
  families: {
    switchyard_memory_available_bytes: {
      type: 'gauge',
      labels: [],
      help: 'The memory for all processes of this gateway: `SWITCHYARD_MEMORY`, else the limit of the container, else the memory of the machine.',
    },
    switchyard_certificate_expiry_timestamp_seconds: {
      type: 'gauge',
      labels: ['host'],
      help: 'When the certificate at `server.public_url` expires, in seconds since 1970. Read every hour; missing without an https address, and if it cannot be reached from here.',
    },
  },
} as const satisfies MetricSection;
