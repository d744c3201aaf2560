{{/* The configuration file: `config`, and the token of the metrics unless `config` has one. Empty if there is nothing to write. */}}
{{- define "switchyard.configuration" -}}
{{- $config := deepCopy (.Values.config | default dict) -}}
{{- if .Values.metrics.enabled -}}
{{- $server := $config.server | default dict -}}
{{- if not (hasKey $server "metrics_token") -}}
{{- $_ := set $server "metrics_token" "${METRICS_TOKEN}" -}}
{{- end -}}
{{- $_ := set $config "server" $server -}}
{{- end -}}
{{- if $config -}}{{- toYaml $config -}}{{- end -}}
{{- end -}}

{{- define "switchyard.hasConfiguration" -}}
{{- if or .Values.existingConfigMap.name (include "switchyard.configuration" .) -}}true{{- end -}}
{{- end -}}

{{/* The paths of secrets that are written out in the configuration, one per line. Takes (dict "value" any "path" "config"). */}}
{{- define "switchyard.plainSecrets" -}}
{{- $path := .path -}}
{{- $names := list "api_key" "secret" "client_secret" "metrics_token" "smtp_url" "secret_access_key" "session_token" -}}
{{- if kindIs "map" .value -}}
{{- range $key, $value := .value -}}
{{- if and (has $key $names) (kindIs "string" $value) $value (not (contains "${" $value)) -}}
{{- printf "%s.%s\n" $path $key -}}
{{- end -}}
{{- include "switchyard.plainSecrets" (dict "value" $value "path" (printf "%s.%s" $path $key)) -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- range $index, $value := .value -}}
{{- include "switchyard.plainSecrets" (dict "value" $value "path" (printf "%s[%d]" $path $index)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
