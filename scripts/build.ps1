#Requires -Version 5.1
<#
.SYNOPSIS
Builds and tests the servers on Windows: what make does elsewhere.

.DESCRIPTION
Needs Go; "test" and "conformance" need Node.js 22 or newer as well.

.PARAMETER Target
all      every server, as build\Release\MCPServer_<aspect>.exe (the default)
ASPECT   that one, such as helloWorld
run      helloWorld, and a conversation with it
test     all tests; fetches what they need
test-go  the tests that need Go alone
conformance  the official conformance suite, on everything; part of test
aspect   a new aspect from a template; -Name says its name
clean    remove what was built
cleanall remove what tests have fetched, too

.PARAMETER Cfg
Debug builds into build\Debug, with symbols and, where cgo exists, the race detector.

.PARAMETER Clamp
0 serves protocol version 2026-07-28, too
(ClampMCPProtocolVersion_20251125 of make).

.PARAMETER IncludePromptTools
0 leaves out the tools listPrompts and getPrompt.

.PARAMETER Name
The name of a new aspect.

.EXAMPLE
scripts\build.ps1 helloWorld -Cfg Debug

.EXAMPLE
scripts\build.ps1 aspect -Name weather
#>
[CmdletBinding()]
param(
    [Parameter(Position = 0)]
    [string] $Target = 'all',

    [ValidateSet('Release', 'Debug')]
    [string] $Cfg = 'Release',

    [ValidateSet('0', '1')]
    [string] $Clamp = '1',

    [ValidateSet('0', '1')]
    [string] $IncludePromptTools = '1',

    [string] $Name = ''
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Runs a program and stops if it fails, which PowerShell does not do by itself.
function Invoke-Program {
    param([string] $Program, [string[]] $Arguments)
    Write-Host "$Program $($Arguments -join ' ')"
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) {
        throw "$Program ended with exit status $LASTEXITCODE"
    }
}

# Runs a piece of script with environment variables, and sets them back.
function Use-Environment {
    param([hashtable] $Variables, [scriptblock] $Body)
    $before = @{}
    foreach ($variable in $Variables.Keys) {
        $before[$variable] = [Environment]::GetEnvironmentVariable($variable)
        [Environment]::SetEnvironmentVariable($variable, $Variables[$variable])
    }
    try {
        & $Body
    } finally {
        foreach ($variable in $before.Keys) {
            [Environment]::SetEnvironmentVariable($variable, $before[$variable])
        }
    }
}

function Get-Aspects {
    Get-ChildItem -Path 'cmd' -Directory -Filter 'MCPServer_*' |
        ForEach-Object { $_.Name.Substring('MCPServer_'.Length) }
}

# The tags that leave out or add parts of the servers, as an argument for go.
function Get-TagArguments {
    $tags = @()
    if ($Clamp -eq '0') { $tags += 'mcp20260728' }
    if ($IncludePromptTools -eq '0') { $tags += 'nopolyfill' }
    if ($tags.Count -gt 0) { "-tags=$($tags -join ',')" }
}

# The race detector needs cgo, a C compiler, and a platform that it knows.
function Get-RaceArguments {
    # A native program's stderr is an error to Windows PowerShell, so cmd hides it.
    cmd /c 'go build -race runtime/cgo >nul 2>&1'
    if ($LASTEXITCODE -eq 0) {
        '-race'
    } else {
        Write-Host 'Without the race detector: it needs cgo and a C compiler.'
    }
}

function Build-Aspect {
    param([string] $Aspect)
    $output = "build/$Cfg/MCPServer_$Aspect.exe"
    $tags = @(Get-TagArguments)
    if ($Cfg -eq 'Release') {
        $flags = @('-trimpath', '-ldflags=-s -w') + $tags
        Use-Environment @{ CGO_ENABLED = '0' } {
            Invoke-Program 'go' (@('build') + $flags + @('-o', $output, "./cmd/MCPServer_$Aspect"))
        }
    } else {
        $flags = @(Get-RaceArguments) + @('-gcflags=mcpserver/...=-N -l') + $tags
        Invoke-Program 'go' (@('build') + $flags + @('-o', $output, "./cmd/MCPServer_$Aspect"))
    }
}

function Build-All {
    foreach ($aspect in Get-Aspects) { Build-Aspect $aspect }
}

# What behaves otherwise when the clamp is lifted is tested in both builds.
function Test-GoCode {
    $race = @(Get-RaceArguments)
    $withoutPrompts = @()
    if ($IncludePromptTools -eq '0') { $withoutPrompts = @('nopolyfill') }
    $clamped = "-tags=$($withoutPrompts -join ',')"
    $unclamped = "-tags=$((@('mcp20260728') + $withoutPrompts) -join ',')"
    Invoke-Program 'go' @('vet', $clamped, './...')
    Invoke-Program 'go' @('vet', $unclamped, './...')
    Invoke-Program 'go' (@('test') + $race + @($clamped, './...'))
    Invoke-Program 'go' (@('test') + $race + @($unclamped, './core/...', './aspects/...', './tests/transcripts', './tests/probe'))
}

# What tests/clients/run does.
function Test-Clients {
    if (-not (Get-Command 'node' -ErrorAction SilentlyContinue)) {
        throw 'The client tests need Node.js 22 or newer on the PATH: install it from nodejs.org.'
    }
    $recordings = Join-Path $PWD 'build/recordings'
    if (Test-Path $recordings) { Remove-Item -Recurse -Force $recordings }
    New-Item -ItemType Directory -Path $recordings | Out-Null
    $clamped = Join-Path $PWD 'build/clamped'
    $unclamped = Join-Path $PWD 'build/unclamped'
    Use-Environment @{ CGO_ENABLED = '0' } {
        Invoke-Program 'go' @('build', '-trimpath', '-ldflags=-s -w', '-o', "$clamped/", './cmd/...')
        Invoke-Program 'go' @('build', '-tags=mcp20260728', '-trimpath', '-ldflags=-s -w', '-o', "$unclamped/", './cmd/...')
    }
    Use-Environment @{ MCP_BINARIES = $clamped; MCP_BINARIES_UNCLAMPED = $unclamped; MCP_RECORDINGS = $recordings } {
        Push-Location 'tests/clients/node'
        try {
            Invoke-Program 'npm' @('ci')
            Invoke-Program 'npm' @('test', '--silent')
        } finally {
            Pop-Location
        }
        Push-Location 'tests/clients/gosdk'
        try {
            Invoke-Program 'go' @('test', '-count=1', './...')
        } finally {
            Pop-Location
        }
        Invoke-Program 'node' @('tests/clients/node/validate.mjs', $recordings)
    }
}

# The official suite judges both builds, and fails a server that should.
function Test-Conformance {
    Use-Environment @{ CGO_ENABLED = '0' } {
        Invoke-Program 'go' @('build', '-trimpath', '-ldflags=-s -w', '-o', 'build/clamped/', './cmd/MCPServer_everything')
        Invoke-Program 'go' @('build', '-tags=mcp20260728', '-trimpath', '-ldflags=-s -w', '-o', 'build/unclamped/', './cmd/MCPServer_everything')
    }
    Invoke-Program 'go' @('run', './tests/conformance', 'build/clamped/MCPServer_everything.exe', 'build/unclamped/MCPServer_everything.exe')
    Invoke-Program 'go' @('test', '-count=1', '-tags=conformance', './tests/conformance', './tests/clientconformance')
}

function Remove-Folders {
    param([string[]] $Folders)
    foreach ($folder in $Folders) {
        if (Test-Path $folder) { Remove-Item -Recurse -Force $folder }
    }
}

function Show-Conversation {
    Build-Aspect 'helloWorld'
    Get-Content 'scripts/exchange/helloWorld.txt' |
        & go run ./scripts/exchange "build/$Cfg/MCPServer_helloWorld.exe"
    if ($LASTEXITCODE -ne 0) { throw 'The conversation failed.' }
}

Push-Location (Split-Path -Parent $PSScriptRoot)
try {
    switch ($Target) {
        'all' { Build-All }
        'run' { Show-Conversation }
        'test' { Test-GoCode; Test-Clients; Test-Conformance }
        'test-go' { Test-GoCode }
        'conformance' { Test-Conformance }
        'aspect' { Invoke-Program 'go' @('run', './scripts/newaspect', $Name) }
        'clean' { Remove-Folders @('build') }
        'cleanall' { Remove-Folders @('build', 'tests/clients/node/node_modules', 'tests/conformance/node_modules') }
        default {
            if ((Get-Aspects) -notcontains $Target) {
                throw "There is no target and no aspect ""$Target""; Get-Help scripts\build.ps1 -Detailed lists the targets."
            }
            Build-Aspect $Target
        }
    }
} finally {
    Pop-Location
}
