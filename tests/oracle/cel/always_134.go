//go:build !k137

package cel

// alwaysLists tells whether attributes may be lists without the feature gate.
const alwaysLists = false
