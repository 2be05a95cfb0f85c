#!/usr/bin/perl
# A server of canned answers, for what weir sim is too well-behaved to say.
#
#   canned.pl LOG [METHOD PATH FILE]…
#
# Listens on a free port of 127.0.0.1 and prints it. A request for METHOD and PATH is answered by
# the bytes of FILE as they are, then the connection is closed; any other by 404 and JSON. Each
# request line, header and body goes to LOG. An answer that does not begin with "HTTP/" gets a plain
# 200 head for text/event-stream.
use strict;
use warnings;
use IO::Socket::INET;

my ($log_path, @rules) = @ARGV;
$SIG{PIPE} = 'IGNORE';
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 64, Proto => 'tcp')
    or die "listen: $!";
open(my $log, '>>', $log_path) or die "$log_path: $!";
$log->autoflush(1);
$| = 1;
print "http://127.0.0.1:", $server->sockport, "\n";
while (my $client = $server->accept) {
    my $head = '';
    while ($head !~ /\r\n\r\n/s) {
        my $n = sysread($client, $head, 65536, length $head);
        last if !$n;
    }
    next if $head !~ /\r\n\r\n/s;
    my ($length) = $head =~ /^content-length:\s*(\d+)/mi;
    my $want = index($head, "\r\n\r\n") + 4 + ($length || 0);
    while (length $head < $want) {
        my $n = sysread($client, $head, 65536, length $head);
        last if !$n;
    }
    print $log $head, "\n";
    my ($method, $path) = $head =~ /^(\S+) (\S+)/;
    my $answer = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n"
        . "Content-Length: 22\r\n\r\n{\"detail\":\"Not Found\"}";
    for (my $i = 0; $i + 2 < @rules; $i += 3) {
        next if $rules[$i] ne $method || $rules[$i + 1] ne $path;
        open(my $file, '<:raw', $rules[$i + 2]) or die "$rules[$i + 2]: $!";
        local $/;
        $answer = <$file>;
        $answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n$answer"
            if $answer !~ m{^HTTP/};
        last;
    }
    my $at = 0;
    while ($at < length $answer) {
        my $n = syswrite($client, $answer, length($answer) - $at, $at);
        last if !defined $n;
        $at += $n;
    }
    close $client;
}
