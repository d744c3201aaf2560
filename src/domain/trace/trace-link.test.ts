import { expect, test } from 'bun:test';
import { isTraceLinkTemplate, traceLinkOf } from './trace-link.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test.each([
  ['https://jaeger.example/trace/{trace_id}', `https://jaeger.example/trace/${TRACE}`],
  ['http://localhost:16686/trace/{trace_id}?uiEmbed=v0', `http://localhost:16686/trace/${TRACE}?uiEmbed=v0`],
  [
    'https://grafana.example/explore?left=%7B%22query%22:%22{trace_id}%22%7D',
    `https://grafana.example/explore?left=%7B%22query%22:%22${TRACE}%22%7D`,
  ],
  ['https://tool.example/#/{trace_id}/spans/{trace_id}', `https://tool.example/#/${TRACE}/spans/${TRACE}`],
])('%s is a template', (template, link) => {
  expect(isTraceLinkTemplate(template)).toBe(true);
  expect(traceLinkOf(template, TRACE)).toBe(link);
});

test.each([
  'https://jaeger.example/trace/',
  'https://jaeger.example/trace/{traceId}',
  'jaeger.example/{trace_id}',
  'javascript:alert("{trace_id}")',
  'javascript://jaeger.example/%0a{trace_id}',
  'data:text/html,{trace_id}',
  'https://{trace_id}.example/',
  'https://me:secret@jaeger.example/{trace_id}',
  'https://jaeger.example/{trace_id}"><script>',
  'https://jaeger.example/ {trace_id}',
  `https://jaeger.example/{trace_id}/${'x'.repeat(1_000)}`,
  '',
])('%p is none', (template) => {
  expect(isTraceLinkTemplate(template)).toBe(false);
});
