import { expect, test } from 'bun:test';
import { summedMetrics } from './summed-metrics.ts';

const text = (count: number, extra = '') => `# HELP switchyard_requests_total Finished requests.
# TYPE switchyard_requests_total counter
switchyard_requests_total{model="a b",status="200"} ${count}
${extra}
# HELP switchyard_requests_in_flight Requests that have not ended.
# TYPE switchyard_requests_in_flight gauge
switchyard_requests_in_flight ${count}

# HELP took How long.
# TYPE took histogram
took_bucket{le="0.5",model="m"} ${count}
took_bucket{le="+Inf",model="m"} ${count + 1}
took_sum{model="m"} 0.25
took_count{model="m"} ${count + 1}
# HELP up Whether a channel may be used.
# TYPE up gauge
up{channel="c"} 1
# HELP process_resident_memory_bytes Resident memory.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 1000
`;

test('counters, histograms and in-flight gauges are summed, and other gauges get a worker label', () => {
  const other = 'switchyard_requests_total{model="}\\" 1",status="500"} 7';
  const summed = summedMetrics([
    { worker: 1, text: text(2) },
    { worker: 3, text: text(40, other) },
  ]);
  expect(summed).toBe(`# HELP switchyard_requests_total Finished requests.
# TYPE switchyard_requests_total counter
switchyard_requests_total{model="a b",status="200"} 42
${other}
# HELP switchyard_requests_in_flight Requests that have not ended.
# TYPE switchyard_requests_in_flight gauge
switchyard_requests_in_flight 42
# HELP took How long.
# TYPE took histogram
took_bucket{le="0.5",model="m"} 42
took_bucket{le="+Inf",model="m"} 44
took_sum{model="m"} 0.5
took_count{model="m"} 44
# HELP up Whether a channel may be used.
# TYPE up gauge
up{channel="c",worker="1"} 1
up{channel="c",worker="3"} 1
# HELP process_resident_memory_bytes Resident memory.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes{worker="1"} 1000
process_resident_memory_bytes{worker="3"} 1000
`);
});

test('no processes have no metrics', () => {
  expect(summedMetrics([])).toBe('\n');
});
