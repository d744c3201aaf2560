import '../postgres/log-partitions.test.ts';
