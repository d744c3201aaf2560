{{/* Names and labels. */}}

{{- define "switchyard.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "switchyard.fullname" -}}
{{- $name := include "switchyard.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Takes (dict "root" $ "component" "gateway"). */}}
{{- define "switchyard.selectorLabels" -}}
app.kubernetes.io/name: {{ include "switchyard.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "switchyard.labels" -}}
{{ include "switchyard.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The labels of a Pod lack the versions, so that a new chart alone replaces no Pod: not that of a database. */}}
{{- define "switchyard.podLabels" -}}
{{ include "switchyard.selectorLabels" . }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "switchyard.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "switchyard.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* A digest wins over a tag; the tag defaults to the chart's appVersion. */}}
{{- define "switchyard.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "switchyard.isSqlite" -}}
{{- if eq .Values.database.type "sqlite" -}}true{{- end -}}
{{- end -}}

{{- define "switchyard.hasMigrationJob" -}}
{{- if and .Values.migrations.job.enabled (eq .Values.database.type "external") -}}true{{- end -}}
{{- end -}}

{{- define "switchyard.replicas" -}}
{{- .Values.replicaCount | default (ternary 1 2 (eq .Values.database.type "sqlite")) -}}
{{- end -}}

{{/* Milliseconds of a setting of the section `server`, or the gateway's default. Takes (dict "root" $ "name" "drain_ms" "default" 5000). */}}
{{- define "switchyard.serverMs" -}}
{{- $server := (.root.Values.config | default dict).server | default dict -}}
{{- if hasKey $server .name -}}{{- get $server .name | int64 -}}{{- else -}}{{- .default -}}{{- end -}}
{{- end -}}

{{/* The longest stop of a gateway, in whole seconds: it drains, waits for running requests, then writes what is queued. */}}
{{- define "switchyard.longestStopSeconds" -}}
{{- $drain := include "switchyard.serverMs" (dict "root" . "name" "drain_ms" "default" 5000) | int64 -}}
{{- $grace := include "switchyard.serverMs" (dict "root" . "name" "shutdown_grace_ms" "default" 30000) | int64 -}}
{{- $write := include "switchyard.serverMs" (dict "root" . "name" "shutdown_write_ms" "default" 5000) | int64 -}}
{{- div (add $drain $grace $write 999) 1000 -}}
{{- end -}}

{{/* Five seconds are left for the process to start stopping and to end. */}}
{{- define "switchyard.terminationGracePeriodSeconds" -}}
{{- $longest := include "switchyard.longestStopSeconds" . | int -}}
{{- $given := .Values.terminationGracePeriodSeconds | default (add $longest 5) | int -}}
{{- if lt $given $longest -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, but a stop may take %d s (config.server: drain_ms + shutdown_grace_ms + shutdown_write_ms). Raise it, or remove it so that the chart computes it." $given $longest) -}}
{{- end -}}
{{- $given -}}
{{- end -}}

{{- define "switchyard.podAnnotations" -}}
checksum/config: {{ include "switchyard.configuration" . | sha256sum }}
checksum/secret: {{ include "switchyard.ownSecretData" . | sha256sum }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}
