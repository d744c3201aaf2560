// Collector receives OTLP over HTTP and gRPC with the OpenTelemetry Collector's own receiver, and appends what arrives to files, one JSON
// object per export. The receiver refuses what the real collector refuses.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: collector HTTP_ADDRESS GRPC_ADDRESS FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(httpAddress, grpcAddress, folder string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	receivers, err := receiversAt(ctx, httpAddress, grpcAddress, folder)
	if err != nil {
		return err
	}
	host := componenttest.NewNopHost()
	for _, one := range receivers {
		if err := one.Start(ctx, host); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	<-ctx.Done()
	for _, one := range receivers {
		if err := one.Shutdown(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// receiversAt returns the receivers of the three signals, which share one server per protocol.
func receiversAt(ctx context.Context, httpAddress, grpcAddress, folder string) ([]component.Component, error) {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	err := confmap.NewFromStringMap(map[string]any{
		"protocols": map[string]any{
			"http": map[string]any{"endpoint": httpAddress, "include_metadata": true},
			"grpc": map[string]any{"endpoint": grpcAddress},
		},
	}).Unmarshal(config)
	if err != nil {
		return nil, err
	}
	settings := receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings(),
		BuildInfo:         component.NewDefaultBuildInfo(),
	}
	traces, err := consumer.NewTraces(func(_ context.Context, data ptrace.Traces) error {
		json, err := (&ptrace.JSONMarshaler{}).MarshalTraces(data)
		return keep(folder, "traces", json, err)
	})
	if err != nil {
		return nil, err
	}
	metrics, err := consumer.NewMetrics(func(_ context.Context, data pmetric.Metrics) error {
		json, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(data)
		return keep(folder, "metrics", json, err)
	})
	if err != nil {
		return nil, err
	}
	logs, err := consumer.NewLogs(func(_ context.Context, data plog.Logs) error {
		json, err := (&plog.JSONMarshaler{}).MarshalLogs(data)
		return keep(folder, "logs", json, err)
	})
	if err != nil {
		return nil, err
	}
	ofTraces, err := factory.CreateTraces(ctx, settings, config, traces)
	if err != nil {
		return nil, err
	}
	ofMetrics, err := factory.CreateMetrics(ctx, settings, config, metrics)
	if err != nil {
		return nil, err
	}
	ofLogs, err := factory.CreateLogs(ctx, settings, config, logs)
	if err != nil {
		return nil, err
	}
	return []component.Component{ofTraces, ofMetrics, ofLogs}, nil
}

var writing sync.Mutex

// keep appends a line to the signal's file. A sender gets its answer only when the line is written.
func keep(folder, signal string, json []byte, err error) error {
	if err != nil {
		return err
	}
	writing.Lock()
	defer writing.Unlock()
	file, err := os.OpenFile(filepath.Join(folder, signal+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append(json, '\n'))
	return err
}
