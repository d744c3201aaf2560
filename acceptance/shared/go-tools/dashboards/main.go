// Command dashboards judges dashboards of Grafana: each file must consist of members that Grafana's own library knows, with values that it
// accepts. It prints one line per problem, and exits with 1 if there is one.
package main

import (
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	// Without the plugins the options of panels and queries would not be looked at.
	plugins.RegisterDefaultPlugins()
	problems := 0
	for _, file := range os.Args[1:] {
		// The library returns errors without a text, too, which are none.
		if err := judge(file); err != nil && err.Error() != "" {
			problems++
			fmt.Printf("%s: %s\n", file, err)
		}
	}
	if problems > 0 {
		os.Exit(1)
	}
}

func judge(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var found dashboard.Dashboard
	if err := found.UnmarshalJSONStrict(text); err != nil && err.Error() != "" {
		return err
	}
	return found.Validate()
}
